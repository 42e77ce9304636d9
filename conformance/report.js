"use strict";
const form = document.querySelector("form");
const words = document.getElementById("words");
const outcome = document.getElementById("outcome");
const page = document.getElementById("document");
const source = document.getElementById("source");
const clauses = [...document.querySelectorAll("details")];

function fits(clause) {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const outcomes = clause.dataset.outcomes.split(" ");
  return wanted.every((word) => clause.dataset.text.includes(word)) &&
    (!page.value || clause.dataset.document === page.value) &&
    (!source.value || clause.dataset.source === source.value) &&
    (!outcome.value || (outcome.value === "disagreement"
      ? clause.dataset.disagreement === "yes"
      : outcomes.includes(outcome.value)));
}

function apply() {
  let shown = 0;
  for (const clause of clauses) {
    clause.hidden = !fits(clause);
    shown += !clause.hidden;
  }
  document.getElementById("shown").textContent = `${shown} of ${clauses.length} clauses`;
}

form.addEventListener("input", apply);
form.addEventListener("submit", (event) => event.preventDefault());
for (const button of document.querySelectorAll("td button")) {
  button.addEventListener("click", () => {
    words.value = button.textContent + "/";
    outcome.value = "";
    page.value = "";
    source.value = "";
    apply();
    document.getElementById("clauses").scrollIntoView();
  });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== words) {
    event.preventDefault();
    words.focus();
  } else if (event.key === "Escape" && document.activeElement === words) {
    words.value = "";
    apply();
  }
});
apply();
