// Filters the facts by text, paper and outcome. Without it the page is complete.
(() => {
  "use strict";
  const form = document.querySelector("form");
  const shown = form.querySelector("output");
  const papers = [...document.querySelectorAll("section.paper")];
  const rows = [...document.querySelectorAll("tr.fact")];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  const matches = (row) => {
    const words = form.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcome = form.outcome.value;
    return (!outcome || row.dataset.outcome.split(",").includes(outcome))
      && words.every((word) => texts.get(row).includes(word));
  };

  const filter = () => {
    const byFact = Boolean(form.text.value.trim() || form.outcome.value);
    let count = 0;
    for (const paper of papers) {
      const chosen = !form.paper.value || paper.id === form.paper.value;
      let inPaper = 0;
      for (const item of paper.querySelectorAll("section.item")) {
        let inItem = 0;
        for (const row of item.querySelectorAll("tr.fact")) {
          row.hidden = !(chosen && matches(row));
          inItem += !row.hidden;
        }
        item.hidden = byFact && !inItem;
        inPaper += inItem;
      }
      paper.hidden = !chosen || (byFact && !inPaper);
      count += inPaper;
    }
    shown.value = `${count} of ${rows.length} facts`;
  };

  // A link to a fact shows it, whatever is filtered.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.closest("[hidden]")) {
      form.reset();
      filter();
      target.scrollIntoView();
    }
  };

  const copyButton = (command) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = "Copied";
    });
    command.after(" ", button);
  };

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", reveal);
  if (navigator.clipboard) document.querySelectorAll(".made .command").forEach(copyButton);
  filter();
})();
