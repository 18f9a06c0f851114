"""End-to-end soundness: promises of the public interface, judged by what its orders cost.

A *quadruple* is one (world, policy, demand law, target), checked end to end: the very orders that ``fit`` and
``predict`` (or ``policy.order``) give on histories drawn from the law, and their expected regret against the stated
guarantee. In worlds of few histories all are tried and a quadruple is exact; elsewhere it is decided by draws (see
``judge``). Laws of one world share its fits: a law is a way to weigh the histories. Counted is each law at each target,
20 laws per target in exact worlds; not counted are lower bounds, refused worlds, and checks that need no law (orders
within the support, guarantees and weights that do not depend on demand).

``draw`` makes worlds, ``laws`` demand distributions within a world's dissimilarities, ``judge`` judges, ``bounds`` does
so for lower bounds, ``campaign`` numbers the cases and shrinks a failure.

    cd tests && python -m soundness                      # the campaign
    cd tests && python -m soundness --seed 0 --case 17   # one case again
"""
