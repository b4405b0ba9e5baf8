"use strict";
const runs = JSON.parse(document.getElementById("runs").textContent);
const page = document.getElementById("page");
const palette = ["#3b76b5", "#e08a3c", "#4f9d69", "#b5546d", "#7a6bb0", "#c7a12f", "#3d9aa3", "#8c6d57", "#6b8f2f", "#a15ea8"];
const ink = "#1d2733", soft = "#64748b", grid = "#e9edf3";

Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
Chart.defaults.font.size = 12;
Chart.defaults.color = soft;
Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.elements.point.radius = 0;
Chart.defaults.elements.point.hitRadius = 6;
Chart.defaults.elements.line.borderWidth = 2;
Chart.defaults.plugins.legend.labels.boxWidth = 12;
Chart.defaults.plugins.legend.labels.boxHeight = 12;
Chart.defaults.plugins.legend.position = "bottom";

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "text") element.textContent = value;
    else element.setAttribute(key, value);
  }
  for (const child of children) element.append(child);
  return element;
}
const fixed = (value, digits) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const seconds = value => (value === null || value === undefined ? "–" : value < 600 ? fixed(value, 1) + " s" : value < 36000 ? fixed(value / 60, 1) + " min" : fixed(value / 3600, 1) + " h");
const percent = value => (value === null || value === undefined ? "–" : fixed(100 * value, 1) + " %");
const significant = value => (value === null || value === undefined ? "–" : Number(value.toPrecision(4)).toString());
const colourOf = job => palette[(job - 1) % palette.length];
// Copies of one job share its hue; later copies are lighter.
function shade(job, fork) {
  const hex = colourOf(job), mix = Math.min(0.55, 0.14 * fork);
  const parts = [1, 3, 5].map(at => Math.round(parseInt(hex.slice(at, at + 2), 16) * (1 - mix) + 255 * mix));
  return `rgb(${parts.join(",")})`;
}
const nameOf = (run, job) => (run.jobs.find(other => other.job === job) || { name: "job " + job }).name;

function panel(parent, title, hint, height) {
  const holder = make("div", { class: "chart", style: `height:${height}px` });
  const canvas = make("canvas", { role: "img", "aria-label": title });
  holder.append(canvas);
  parent.append(make("div", { class: "panel" }, make("h3", { text: title }), make("p", { class: "hint", text: hint }), holder));
  return canvas;
}
// Long runs are told in hours, in round steps.
const longRun = 7200;
const hourSteps = [0.25, 0.5, 1, 2, 4, 6, 12, 24, 48, 96, 168, 336, 720, 1440, 2880, 8760];
function timeAxis(end) {
  const hours = end > longRun;
  const step = 3600 * (hourSteps.find(step => step * 14 * 3600 >= end) || Math.ceil(end / 14 / 3600));
  const ticks = { maxTicksLimit: 15, includeBounds: false, ...(hours ? { stepSize: step, callback: value => fixed(value / 3600, step < 3600 ? 2 : 0) } : {}) };
  return { type: "linear", min: 0, max: end, title: { display: true, text: `${hours ? "hours" : "seconds"} since the first submission` }, grid: { color: grid }, ticks };
}

// The job and copy, written into bars that are wide enough.
const barNames = {
  id: "barNames",
  afterDatasetsDraw(chart) {
    const context = chart.ctx;
    context.save();
    context.font = "11px " + Chart.defaults.font.family;
    context.textBaseline = "middle";
    context.textAlign = "center";
    chart.data.datasets.forEach((set, index) => {
      if (!set.isBars || !chart.isDatasetVisible(index)) return;
      chart.getDatasetMeta(index).data.forEach((bar, at) => {
        const width = Math.abs(bar.x - bar.base), text = set.data[at].label;
        if (context.measureText(text).width + 6 > width) return;
        context.fillStyle = set.data[at].fork > 2 ? ink : "#fff";
        context.fillText(text, (bar.x + bar.base) / 2, bar.y);
      });
    });
    context.restore();
  },
};

// More cannot be read.
const mostRows = 64, mostBars = 20000, mostJobs = 100;
function gantt(parent, run) {
  const line = run.timeline;
  if (line.rows.length > mostRows || line.bars.length > mostBars) {
    parent.append(make("div", { class: "panel" }, make("h3", { text: "Nodes" }), make("p", { class: "hint", text: `Not drawn: ${line.rows.length} GPUs with ${line.bars.length} leases, at most ${mostRows} with ${mostBars} can be told apart.` })));
    return;
  }
  const canvas = panel(parent, "Nodes", "One row a GPU; a bar is a lease, coloured by job, lighter for later copies; a diamond is a merge its copy took part in.", 86 + 34 * Math.max(1, line.rows.length));
  const sets = run.jobs.map(job => {
    const bars = line.bars.filter(bar => bar.job === job.job);
    return {
      label: job.name, isBars: true, grouped: false, barPercentage: 0.82, categoryPercentage: 1, order: 2, borderColor: "#fff",
      borderWidth: { left: 0.5, right: 0.5 }, borderSkipped: false, minBarLength: 1,
      backgroundColor: bars.map(bar => shade(bar.job, bar.fork)),
      data: bars.map(bar => ({ x: [bar.start, bar.stop], y: line.rows[bar.row], label: bar.fork ? `${job.name} ·${bar.fork}` : job.name, fork: bar.fork, bar })),
    };
  });
  const marks = line.merges.filter(merge => merge.forks > 1);
  sets.push({
    type: "scatter", label: "merge", order: 1, pointStyle: "rectRot", radius: 5, hoverRadius: 6, borderColor: "#fff", borderWidth: 1, backgroundColor: ink,
    data: marks.map(merge => ({ x: merge.t, y: line.rows[merge.row], merge })),
  });
  new Chart(canvas, {
    type: "bar", data: { labels: line.rows, datasets: sets }, plugins: [barNames],
    options: {
      indexAxis: "y",
      scales: { x: timeAxis(line.end_s), y: { type: "category", labels: line.rows, offset: true, grid: { display: false }, ticks: { color: ink, autoSkip: false } } },
      plugins: {
        legend: { display: run.jobs.length <= mostJobs / 4, labels: { generateLabels: chart => chart.data.datasets.map((set, index) => ({ text: set.label, datasetIndex: index, hidden: !chart.isDatasetVisible(index), fillStyle: set.isBars ? colourOf(run.jobs[index].job) : ink, strokeStyle: "#fff", pointStyle: set.isBars ? "rect" : "rectRot" })), usePointStyle: true } },
        tooltip: {
          callbacks: {
            title: () => "",
            label: item => {
              if (item.raw.merge) return `${nameOf(run, item.raw.merge.job)}: ${item.raw.merge.forks} copies merged into version ${item.raw.merge.version} at ${fixed(item.raw.merge.t, 2)} s, ${item.raw.merge.credited} steps credited`;
              const bar = item.raw.bar;
              return `${nameOf(run, bar.job)} copy ${bar.fork}, lease ${bar.lease}: ${fixed(bar.start, 2)}–${fixed(bar.stop, 2)} s, ${bar.steps} steps, ended: ${bar.end}`;
            },
          },
        },
      },
    },
  });
}

function lines(canvas, sets, end, y, legend) {
  new Chart(canvas, {
    type: "line", data: { datasets: sets },
    options: { parsing: true, interaction: { mode: "nearest", axis: "x", intersect: false }, scales: { x: timeAxis(end), y: Object.assign({ grid: { color: grid } }, y) }, plugins: { legend: { display: legend }, tooltip: { callbacks: { title: items => (items.length ? seconds(items[0].parsed.x) : "") } } } },
  });
}
const percentAxis = title => ({ min: 0, max: 1, title: { display: true, text: title }, ticks: { callback: value => Math.round(100 * value) + " %" } });

function progress(parent, run) {
  if (run.jobs.length > mostJobs) return;
  const canvas = panel(parent, "Progress", "Credited share of each job's steps: it rises when a merge or checkpoint is committed.", 280);
  lines(canvas, run.jobs.map(job => ({ label: job.name, data: run.timeline.progress[job.job] || [], borderColor: colourOf(job.job), backgroundColor: colourOf(job.job), stepped: "before" })), run.timeline.end_s, percentAxis("steps credited"), run.jobs.length <= mostJobs / 4);
}
// One chart a metric name: accuracies and errors share no axis.
function metrics(parent, run) {
  const names = [...new Set(run.jobs.map(job => job.metric_name).filter(name => name))];
  for (const name of names) {
    const jobs = run.jobs.filter(job => job.metric_name === name);
    const canvas = panel(parent, name === "mse" ? "Mean squared error" : name[0].toUpperCase() + name.slice(1).replaceAll("_", " "), "On validation data, of each job's latest model version; dashed: the baseline to beat.", 280);
    const sets = [];
    for (const job of jobs) {
      const points = (run.timeline.metrics[job.job] || {})[name] || [];
      sets.push({ label: job.name, data: points, borderColor: colourOf(job.job), backgroundColor: colourOf(job.job), pointRadius: points.length < 40 ? 2.5 : 0 });
    }
    const seen = new Map();
    for (const job of jobs) if (job.baseline_metric !== null && !seen.has(job.workload)) seen.set(job.workload, job.baseline_metric);
    for (const [workload, value] of seen) sets.push({ label: `baseline (${workload})`, data: [{ x: 0, y: value }, { x: run.timeline.end_s, y: value }], borderColor: soft, backgroundColor: soft, borderDash: [5, 4], borderWidth: 1.2 });
    lines(canvas, sets, run.timeline.end_s, { title: { display: true, text: name.replaceAll("_", " ") } }, true);
  }
}
function utilisation(parent, run) {
  const canvas = panel(parent, "Utilisation", `Share of the ${run.nodes} nodes inside a training step loop (filled), and holding a lease (line).`, 280);
  lines(canvas, [
    { label: "training", data: run.timeline.training, borderColor: "#2b8a5a", backgroundColor: "rgba(43,138,90,0.18)", fill: "origin", tension: 0 },
    { label: "leased", data: run.timeline.leased, borderColor: soft, backgroundColor: soft, borderWidth: 1.2 },
  ], run.timeline.end_s, percentAxis("nodes"), true);
}
function prices(parent, run) {
  const types = Object.keys(run.timeline.prices).sort();
  if (!types.length) return;
  const canvas = panel(parent, "Prices", "Per GPU type, in utility per GPU and round, at each round's opening.", 280);
  lines(canvas, types.map((type, index) => ({ label: type, data: run.timeline.prices[type], borderColor: palette[index % palette.length], backgroundColor: palette[index % palette.length], stepped: "before" })), run.timeline.end_s, { beginAtZero: true, title: { display: true, text: "price" } }, true);
}

function table(parent, header, rows) {
  const head = make("tr", {}, ...header.map(([text, numeric]) => make("th", { class: numeric ? "n" : "", text })));
  const body = rows.map(row => make("tr", {}, ...row.map((cell, at) => {
    const value = typeof cell === "object" && cell !== null ? cell : { text: cell };
    const td = make("td", { class: `${header[at][1] ? "n" : ""} ${value.mark || ""}` });
    if (value.dot) td.append(make("span", { class: "dot", style: `background:${value.dot}` }));
    td.append(document.createTextNode(value.text));
    return td;
  })));
  parent.append(make("div", { class: "panel scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body))));
}
function jobTable(parent, run) {
  const better = job => (job.metric === null || job.baseline_metric === null ? "" : (job.metric_name === "accuracy" ? job.metric > job.baseline_metric : job.metric < job.baseline_metric) ? "good" : "bad");
  if (run.jobs.length > mostJobs) parent.append(make("p", { class: "note", text: `The first ${mostJobs} of ${run.jobs.length} jobs.` }));
  table(parent,
    [["Job"], ["Workload"], ["State"], ["Steps credited / asked", 1], ["Copies", 1], ["Merges", 1], ["Waited", 1], ["Completed in", 1], ["Metric", 1], ["Baseline", 1]],
    run.jobs.slice(0, mostJobs).map(job => [
      { text: job.name, dot: colourOf(job.job) }, job.workload || "command", { text: job.state.toLowerCase(), mark: job.state === "COMPLETED" ? "" : "bad" },
      { text: `${job.steps_credited} / ${job.steps_requested}`, mark: job.steps_credited === job.steps_requested ? "" : "bad" },
      String(job.forks_max), String(job.consolidations), seconds(job.started_t_s === null ? null : job.started_t_s - job.submitted_t_s), seconds(job.jct_s),
      { text: job.metric_name ? `${job.metric_name} ${significant(job.metric)}` : "–", mark: better(job) }, significant(job.baseline_metric),
    ]));
}
function comparison(parent) {
  const least = key => Math.min(...runs.map(run => run[key]).filter(value => value > 0));
  const first = runs[0];
  const ratio = (run, key) => (run === first || !(run[key] > 0) ? "" : ` (${fixed(run[key] / first[key], 2)}×)`);
  parent.append(make("h2", { text: "Comparison" }), make("p", { class: "note", text: `Same jobs, same cluster, one policy after the other; ratios are to ${first.policy}.` }));
  table(parent,
    [["Policy"], ["Makespan", 1], ["Mean completion time", 1], ["Utilisation of nodes (CRU)", 1], ["Consolidations", 1], ["Steps credited / requested", 1], ["Pace missed", 1]],
    runs.map(run => {
      const sum = key => run.jobs.reduce((total, job) => total + job[key], 0);
      return [{ text: run.policy, mark: "best" }, { text: seconds(run.makespan_s) + ratio(run, "makespan_s"), mark: run.makespan_s === least("makespan_s") ? "good best" : "" },
        { text: seconds(run.avg_jct_s) + ratio(run, "avg_jct_s"), mark: run.avg_jct_s === least("avg_jct_s") ? "good best" : "" },
        { text: percent(run.cru), mark: run.cru === Math.max(...runs.map(other => other.cru)) ? "good best" : "" }, String(sum("consolidations")),
        { text: `${sum("steps_credited")} / ${sum("steps_requested")}`, mark: sum("steps_credited") === sum("steps_requested") ? "" : "bad" }, { text: String(run.pace_missed), mark: run.pace_missed ? "bad" : "" }];
    }));
  const pair = make("div", { class: "pair" });
  parent.append(pair);
  const names = [...new Set(runs.flatMap(run => run.jobs.map(job => job.name)))];
  const bars = (canvas, labels, sets, y) => new Chart(canvas, { type: "bar", data: { labels, datasets: sets }, options: { scales: { x: { grid: { display: false }, ticks: { color: ink } }, y: Object.assign({ beginAtZero: true, grid: { color: grid } }, y) } } });
  if (names.length <= mostJobs) bars(panel(pair, "Completion time of each job", "Submission to completion.", 260), names,
    runs.map((run, index) => ({ label: run.policy, backgroundColor: palette[index % palette.length], data: names.map(name => (run.jobs.find(job => job.name === name) || {}).jct_s) })), { title: { display: true, text: "seconds" } });
  const canvas = panel(pair, "Utilisation over time", "Share of nodes inside a training step loop.", 260);
  lines(canvas, runs.map((run, index) => ({ label: run.policy, data: run.timeline.training, borderColor: palette[index % palette.length], backgroundColor: palette[index % palette.length], borderWidth: 1.6 })), Math.max(...runs.map(run => run.timeline.end_s)), percentAxis("nodes"), true);
}
function section(run, index) {
  const box = make("section", { id: "run" + index });
  page.append(box);
  box.append(make("h2", { text: run.policy || "run " + (index + 1) }), make("p", { class: "note", text: `${run.nodes} nodes, ${run.rounds} rounds of ${run.round_s} s, from ${run.events}` }));
  const card = (value, name) => make("div", { class: "card" }, make("b", { text: value }), make("span", { text: name }));
  const done = run.jobs.filter(job => job.state === "COMPLETED").length;
  box.append(make("div", { class: "cards" }, card(seconds(run.makespan_s), "makespan"), card(percent(run.cru), "nodes training (CRU)"), card(seconds(run.avg_jct_s), "mean completion time"), card(`${done} of ${run.jobs.length}`, "jobs completed"), card(String(run.pace_missed), "reports behind their pace")));
  jobTable(box, run);
  gantt(box, run);
  const pair = make("div", { class: "pair" });
  box.append(pair);
  for (const draw of [progress, utilisation, metrics, prices]) draw(pair, run);
}

page.append(make("h1", { text: "Hadar run report" }), make("p", { class: "note", text: runs.length ? "Runs are computed from their recorded events alone." : "" }));
if (runs.length > 1) {
  page.append(make("nav", {}, ...runs.map((run, index) => make("a", { href: "#run" + index, text: run.policy || "run " + (index + 1) }))));
  const box = make("section", {});
  page.append(box);
  comparison(box);
}
runs.forEach(section);
page.append(make("footer", { text: "CRU: time trainers spent inside their step loops ÷ (nodes × makespan); loading and merging do not count." }));
