"use strict";
// The part of the page about simulations; draws with the tools of report.js.
const results = JSON.parse(document.getElementById("results").textContent);

// Of all times of a result: short runs are told in seconds.
const longest = policies => Math.max(...policies.map(policy => mean(policy, "makespan_s") || 0));
const timeUnit = policies => (longest(policies) < longRun ? { name: "seconds", short: "s", of: same, digits: 1 } : { name: "hours", short: "h", of: value => value / 3600, digits: 2 });
const same = value => value;
const mean = (policy, key) => (policy.figures[key] ? policy.figures[key].mean : null);
function withInterval(policy, key, unit, digits) {
  const figure = policy.figures[key];
  if (!figure) return "–";
  return fixed(unit(figure.mean), digits) + (figure.half === null ? "" : " ± " + fixed(unit(figure.half), digits));
}

// Whiskers over bars: each set carries the halves of its intervals.
const whiskers = {
  id: "whiskers",
  afterDatasetsDraw(chart) {
    const context = chart.ctx, scale = chart.scales.y;
    context.save();
    context.strokeStyle = ink;
    context.lineWidth = 1.2;
    chart.data.datasets.forEach((set, index) => {
      if (!set.halves || !chart.isDatasetVisible(index)) return;
      chart.getDatasetMeta(index).data.forEach((bar, at) => {
        const half = set.halves[at];
        if (!half) return;
        const top = scale.getPixelForValue(set.data[at] + half), bottom = scale.getPixelForValue(Math.max(0, set.data[at] - half));
        context.beginPath();
        context.moveTo(bar.x - 5, top);
        context.lineTo(bar.x + 5, top);
        context.moveTo(bar.x, top);
        context.lineTo(bar.x, bottom);
        context.moveTo(bar.x - 5, bottom);
        context.lineTo(bar.x + 5, bottom);
        context.stroke();
      });
    });
    context.restore();
  },
};

function policyBars(parent, title, hint, policies, keys, unit, axis) {
  const shown = keys.filter(([key]) => policies.some(policy => policy.figures[key]));
  if (!shown.length) return;
  const canvas = panel(parent, title, hint, 300);
  const tops = shown.flatMap(([key]) => policies.map(policy => (policy.figures[key] ? unit(policy.figures[key].mean + (policy.figures[key].half || 0)) : 0)));
  new Chart(canvas, {
    type: "bar", plugins: [whiskers],
    data: {
      labels: policies.map(policy => policy.policy),
      datasets: shown.map(([key, label], index) => ({
        label, backgroundColor: palette[index], data: policies.map(policy => (mean(policy, key) === null ? null : unit(mean(policy, key)))),
        halves: policies.map(policy => (policy.figures[key] && policy.figures[key].half !== null ? unit(policy.figures[key].half) : 0)),
      })),
    },
    options: {
      scales: { x: { grid: { display: false }, ticks: { color: ink, autoSkip: false } }, y: Object.assign({ beginAtZero: true, suggestedMax: Math.max(...tops), grid: { color: grid } }, axis) },
      plugins: { legend: { display: shown.length > 1 }, tooltip: { callbacks: { label: item => `${item.dataset.label}: ${significant(item.raw)}` + (item.dataset.halves[item.dataIndex] ? ` ± ${significant(item.dataset.halves[item.dataIndex])}` : "") } } },
    },
  });
}

function completionCurves(parent, policies) {
  const unit = timeUnit(policies);
  const canvas = panel(parent, "Completion times", `Share of completed jobs whose completion time is at most so long; all seeds together, ${unit.name} on a logarithmic scale.`, 340);
  new Chart(canvas, {
    type: "line",
    data: { datasets: policies.map((policy, index) => ({ label: policy.policy, borderColor: palette[index % palette.length], backgroundColor: palette[index % palette.length], borderDash: index < palette.length ? [] : [5, 3], stepped: "before", data: policy.jct_cdf.map(([x, y]) => ({ x: unit.of(x), y })) })) },
    options: {
      interaction: { mode: "nearest", axis: "xy", intersect: false },
      scales: { x: { type: "logarithmic", title: { display: true, text: unit.name }, grid: { color: grid }, ticks: { maxRotation: 0, callback: value => (Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9 ? String(Number(value.toPrecision(1))) : "") } }, y: Object.assign({ grid: { color: grid } }, percentAxis("jobs")) },
      plugins: { tooltip: { callbacks: { title: items => (items.length ? significant(items[0].parsed.x) + ` ${unit.short}` : ""), label: item => `${item.dataset.label}: ${percent(item.parsed.y)}` } } },
    },
  });
}

function resultTable(parent, policies) {
  const best = (key, pick) => pick(...policies.map(policy => mean(policy, key)).filter(value => value !== null));
  const marked = (policy, key, unit, digits, pick) => ({ text: withInterval(policy, key, unit, digits), mark: mean(policy, key) !== null && mean(policy, key) === best(key, pick) ? "good best" : "" });
  const unit = timeUnit(policies);
  const time = (policy, key) => marked(policy, key, unit.of, unit.digits, Math.min);
  table(parent,
    [["Policy"], ["Completed", 1], ...["Makespan", "Mean JCT", "P99 JCT", "Queueing"].map(name => [`${name} ${unit.short}`, 1]), ["GRU", 1], ["CRU", 1], ["FTF max", 1], ["Preemptions", 1]],
    policies.map(policy => [
      { text: policy.policy, mark: "best" }, { text: `${policy.completed} / ${policy.jobs}`, mark: policy.completed === policy.jobs ? "" : "bad" },
      ...["makespan_s", "avg_jct_s", "p99_jct_s", "avg_queueing_s"].map(key => time(policy, key)),
      marked(policy, "gru", same, 3, Math.max), marked(policy, "cru", same, 3, Math.max), marked(policy, "ftf_max", same, 2, Math.min), marked(policy, "preemptions", same, 0, Math.min),
    ]));
}

function resultSection(result) {
  const seeds = new Set(result.policies.flatMap(policy => policy.seeds)).size;
  const box = make("section", {});
  box.append(make("h2", { text: "Simulation" }), make("p", { class: "note", text: `${result.file}: ${result.policies.length} policies, ${seeds} ${seeds === 1 ? "seed" : "seeds; means, and the 95 % interval of the mean as ±"}.` }));
  page.insertBefore(box, page.querySelector("section") || page.querySelector("footer"));
  resultTable(box, result.policies);
  const unit = timeUnit(result.policies);
  const pair = make("div", { class: "pair" });
  box.append(pair);
  policyBars(pair, "Makespan", "First submission to last completion.", result.policies, [["makespan_s", "makespan"]], unit.of, { title: { display: true, text: unit.name } });
  policyBars(pair, "Completion time", "Mean and 99th percentile over jobs.", result.policies, [["avg_jct_s", "mean"], ["p99_jct_s", "99th percentile"]], unit.of, { title: { display: true, text: unit.name } });
  const second = make("div", { class: "pair" });
  box.append(second);
  policyBars(second, "Fairness", "Finish-time fairness: completion time over that on an isolated equal share; below 1 is better than alone.", result.policies, [["ftf_avg", "mean"], ["ftf_max", "largest"]], same, {});
  policyBars(second, "Utilisation", "Share of time inside training steps: of GPUs (GRU), of nodes (CRU).", result.policies, [["gru", "GPUs"], ["cru", "nodes"]], same, percentAxis(""));
  completionCurves(box, result.policies);
  const details = make("details", { class: "panel" }, make("summary", { text: "Where this comes from" }), make("pre", { text: result.provenance }));
  box.append(details);
}
results.forEach(resultSection);
