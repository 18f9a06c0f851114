"use strict";
// Runs before the page is drawn, so that it never flashes in the wrong colours. "auto" follows the system.
(() => {
  const KEY = "provend-theme";
  const CHOICES = ["auto", "light", "dark"];
  const kept = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage switched off: the choice holds for this page
    }
  };
  let choice = CHOICES.includes(kept()) ? kept() : "auto";
  const system = matchMedia("(prefers-color-scheme: dark)");

  const apply = () => {
    const dark = choice === "dark" || (choice === "auto" && system.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    document.dispatchEvent(new Event("themechange"));
  };

  const label = (button) => {
    button.dataset.choice = choice;
    button.querySelector("[data-theme-name]").textContent = choice;
    button.setAttribute("aria-label", `Colours: ${choice}. Press to change.`);
  };

  const next = (button) => {
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // as above
    }
    label(button);
    apply();
  };

  apply();
  system.addEventListener("change", apply);
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    label(button);
    button.addEventListener("click", () => next(button));
  });
})();
