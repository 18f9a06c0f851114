/** What the words of Explore mean. */

import { explain } from "./dom.js";

export const meaningOfRisk = () =>
  explain(
    "What does this mean?",
    "“At risk” is the worst-case expected regret: how much more a rule costs per day, on average, than the order of someone who knew how likely each demand is. It is the worst over all worlds that fit the dissimilarities, so it is a promise and not a forecast.",
    "A single day can cost more. Without any data, the best one can do is to balance the two ends of the range of demand; the share compares with that.",
    "The limit is a proof: for every rule, also those nobody has thought of, there is a world that fits and in which it loses at least so much.",
  );

export const meaningOfColumns = () =>
  explain(
    "How to read this table",
    "“Can cost at worst” is the guarantee with all days given, and beside it stands its share of what ordering without data can cost. “Best number of days” is where the guarantee is best: beyond it, further days are so unlike that they do more harm than good.",
    "“Demand met, at worst” is the lowest chance that all demand of the day to come is served, over all worlds that fit.",
    "“All days alike” takes the usual quantile of all past days (empirical risk minimisation); “fading” counts each further day that much less; “by nearness” weighs days by a bell curve of that width. The best rule weighs them by what the dissimilarities allow.",
  );

export const meaningOfWorld = () =>
  explain(
    "Why only two demands?",
    "Because it is the worst there is: of all worlds that fit, those with demand at the two ends of its range make a rule lose most. That is the theorem all of this rests on.",
  );
