'use strict';
// Sorts and filters tables, opens cells, and keeps a served page up to date. Texts are only ever set as
// texts: nothing here makes markup of data. Without this script everything can still be read.
(() => {
  const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  let data = null;
  let opened = null;

  // ---- elements

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const readData = (page) => {
    const block = page.getElementById('data');
    return block ? JSON.parse(block.textContent) : { panels: [], tables: {} };
  };

  // ---- sorting

  // What a cell is sorted by: its text without small print.
  const plainText = (cell) => {
    const root = cell.querySelector(':scope > button') || cell;
    let text = '';
    for (const node of root.childNodes) if (node.nodeName !== 'SMALL') text += node.textContent;
    return text.trim();
  };

  const numberIn = (text) => {
    const found = text.replace(/−/g, '-').replace(/^[<≤>[(\s]+/, '').match(/^[-+]?[\d,]*\.?\d+(e[-+]?\d+)?/);
    return found ? Number(found[0].replace(/,/g, '')) : NaN;
  };

  const comparator = (column, isNumber, sign) => (a, b) => {
    const [x, y] = [a, b].map((row) => plainText(row.cells[column] || row.cells[0]));
    if (!isNumber) return sign * collator.compare(x, y) || a.place - b.place;
    const [m, n] = [x, y].map(numberIn);
    // What has no number stands last, whichever way the others stand.
    if (Number.isNaN(m) || Number.isNaN(n)) return Number.isNaN(m) - Number.isNaN(n) || a.place - b.place;
    return sign * (m - n) || a.place - b.place;
  };

  const sortTable = (table, column, order) => {
    const heads = headsOf(table);
    heads.forEach((head, index) => head.setAttribute('aria-sort', index === column && order ? order : 'none'));
    const isNumber = heads[column].classList.contains('number');
    const sign = order === 'descending' ? -1 : 1;
    const body = table.tBodies[0];
    const compare = order ? comparator(column, isNumber, sign) : (a, b) => a.place - b.place;
    body.append(...[...body.rows].sort(compare));
    table.classList.toggle('sorted', Boolean(order));
    table.sorting = order ? { column, order } : null;
  };

  const headsOf = (table) => [...table.tHead.rows[table.tHead.rows.length - 1].cells];

  const makeSortable = (table, id) => {
    headsOf(table).forEach((head, column) => {
      // Numbers are most often looked at from the highest.
      const [first, second] = head.classList.contains('number') ? ['descending', 'ascending'] : ['ascending', 'descending'];
      const next = { none: first, [first]: second, [second]: '' };
      const button = make('button', { type: 'button', class: 'sort', id: `${id}-sort-${column}` });
      button.append(...head.childNodes);
      button.addEventListener('click', () => sortTable(table, column, next[head.getAttribute('aria-sort')]));
      head.setAttribute('aria-sort', 'none');
      head.append(button);
    });
  };

  // ---- filtering

  const filterTable = (table, words, status) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    table.classList.toggle('filtered', wanted.length > 0);
    status.textContent = wanted.length ? `${shown} of ${table.tBodies[0].rows.length} rows` : '';
  };

  const makeFilter = (table, id, title) => {
    const input = make('input', { type: 'search', id: `${id}-filter`, autocomplete: 'off', spellcheck: 'false' });
    input.setAttribute('aria-label', `Filter rows: ${title}`);
    input.setAttribute('placeholder', 'Filter rows');
    const status = make('span', { role: 'status' });
    input.addEventListener('input', () => filterTable(table, input.value, status));
    const region = table.closest('.scroll') || table;
    region.before(make('div', { class: 'filter' }, input, status));
    table.filtering = input;
  };

  const LEAST_ROWS = 6;

  const enhanceTables = () => {
    for (const holder of document.querySelectorAll('main [id^="table-"]')) {
      const table = holder.querySelector('table');
      if (!table || !table.tHead || table.tBodies[0].rows.length < 2) continue;
      [...table.tBodies[0].rows].forEach((row, place) => { row.place = place; });
      openCells(table, holder.id);
      makeSortable(table, holder.id);
      const title = holder.querySelector('h2, h3, h4');
      if (table.tBodies[0].rows.length >= LEAST_ROWS) makeFilter(table, holder.id, title ? title.textContent : '');
    }
  };

  // One filter for all tables, where there are several.
  const filterAll = () => {
    const inputs = [...document.querySelectorAll('main .filter input')];
    if (inputs.length < 2) return;
    const input = make('input', { type: 'search', id: 'filter-all', autocomplete: 'off', spellcheck: 'false' });
    const label = make('label', { for: 'filter-all' }, 'Filter the rows of every table');
    input.addEventListener('input', () => {
      for (const one of document.querySelectorAll('main .filter input')) {
        one.value = input.value;
        one.dispatchEvent(new Event('input'));
      }
    });
    document.querySelector('main').prepend(make('div', { class: 'tools' }, label, input));
  };

  // ---- cells

  // A button in each cell that has jobs behind it; one of a table takes the Tab key, arrows lead to the others.
  const openCells = (table, id) => {
    const place = data.tables[id.slice('table-'.length)];
    if (!place) return;
    for (const row of table.tBodies[0].rows) {
      const method = place.rows[row.place];
      [...row.cells].forEach((cell, column) => {
        const model = place.columns[column];
        if (method === null || method === undefined || model === null || model === undefined) return;
        if (!Array.isArray(jobsAt({ panel: place.panel, model, method }))) return;
        const button = make('button', { type: 'button', class: 'open', tabindex: '-1', id: `${id}-${row.place}-${column}` });
        button.append(...cell.childNodes);
        button.target = { panel: place.panel, model, method };
        cell.append(button);
      });
    }
    const first = table.querySelector('button.open');
    if (first) first.tabIndex = 0;
    table.addEventListener('click', (event) => {
      const button = event.target.closest('button.open');
      if (button) openCell(button.target, button);
    });
    table.addEventListener('focusin', (event) => {
      if (!event.target.matches('button.open')) return;
      for (const other of table.querySelectorAll('button.open[tabindex="0"]')) other.tabIndex = -1;
      event.target.tabIndex = 0;
    });
    table.addEventListener('keydown', moveFocus);
  };

  const moveFocus = (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const button = event.target.closest('button.open');
    if (!step || !button) return;
    event.preventDefault();
    const cell = button.parentElement;
    const rows = [...cell.closest('tbody').rows].filter((row) => !row.hidden);
    let [down, across] = [rows.indexOf(cell.parentElement), cell.cellIndex];
    for (;;) {
      down += step[0];
      across += step[1];
      const next = rows[down] && rows[down].cells[across];
      if (!next) return;
      const target = next.querySelector('button.open');
      if (target) return target.focus();
    }
  };

  const jobsAt = ({ panel, model, method }) => data.panels[panel].cells[model][method];

  // Scores come in millionths, so that means of them are those of the tables.
  const percent = (parts) => (parts === null || parts === undefined ? '–' : (parts / 1e4).toFixed(2));

  const signed = (parts) => (parts < 0 ? '−' : '+') + (Math.abs(parts) / 1e4).toFixed(2);

  const seconds = (value) => (value === null || value === undefined ? '–' : value < 60 ? `${value.toFixed(1)} s` : `${Math.floor(Math.round(value) / 60)} min ${Math.round(value) % 60} s`);

  const row = (kind, cells) => make('tr', {}, ...cells.map((cell, index) => {
    const [text, style] = Array.isArray(cell) ? cell : [cell, 'number'];
    const head = kind === 'th' ? { scope: 'col' } : index === 0 ? { scope: 'row' } : {};
    return make(kind === 'th' || index === 0 ? 'th' : 'td', { class: style, ...head }, text);
  }));

  const tableOf = (caption, heads, rows) => {
    const table = make('table', {}, make('caption', { class: 'unseen' }, caption));
    table.append(make('thead', {}, row('th', heads)), make('tbody', {}, ...rows.map((cells) => row('td', cells))));
    return make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, table);
  };

  const seedRow = (job) => {
    const [seed, key, time, first] = job;
    const known = make('code', {}, key);
    const place = [String(seed), ''];
    const open = job.length === 3 ? 'decided' : 'not run';
    if (job.length < 4) return [place, [open, 'gap'], '', '', '', ...data.metrics.slice(1).map(() => ''), '', [known, '']];
    if (job.length === 4) {
      const reason = [data.reasons[first], 'gap reason'];
      return [place, ['failed', 'gap'], '', '', '', ...data.metrics.slice(1).map(() => ''), seconds(time), [make('span', {}, known, make('br'), reason[0]), reason[1]]];
    }
    return [place, ['done', ''], ...job.slice(3).map(percent), seconds(time), [known, '']];
  };

  const meanOf = (jobs) => {
    const scores = jobs.filter((job) => job.length > 4).map((job) => job[3]);
    return scores.length ? scores.reduce((sum, score) => sum + score, 0) / scores.length : null;
  };

  // In words: the mean, how many seeds it is over, and how it stands to the baseline.
  const inWords = (target, jobs) => {
    const done = jobs.filter((job) => job.length > 4).length;
    const failed = jobs.filter((job) => job.length === 4).length;
    const mean = meanOf(jobs);
    const parts = [`${done} of ${jobs.length} seeds have a score`];
    if (failed) parts.push(`${failed} failed`);
    let words = parts.join(', ') + '.';
    if (mean !== null) words += ` Mean ${data.metrics[0]} ${percent(mean)} %.`;
    const base = data.baseline !== null && data.baseline !== target.method ? jobsAt({ ...target, method: data.baseline }) : null;
    const reference = Array.isArray(base) ? meanOf(base) : null;
    if (mean !== null && reference !== null) {
      words += ` That is ${signed(mean - reference)} points against the mean of ${data.methods[data.baseline]}, ${percent(reference)} %; the table of comparisons has the test.`;
    }
    return words;
  };

  const typesTable = ({ panel, model, method }) => {
    const { types, byType } = data.panels[panel];
    const own = byType[model][method];
    if (!own || !types.length) return [];
    const base = data.baseline !== null && data.baseline !== method ? byType[model][data.baseline] : null;
    const rows = types.map((name, index) => {
      const cells = [[name, ''], percent(own[index])];
      if (!base) return cells;
      const both = own[index] !== null && base[index] !== null;
      return [...cells, percent(base[index]), both ? signed(own[index] - base[index]) : '–'];
    });
    const heads = [['Type', ''], 'F1', ...(base ? [data.methods[data.baseline], 'Difference'] : [])];
    return [make('h3', {}, 'Mean F1 by type, the rarest first'), tableOf('Mean F1 by type', heads, rows)];
  };

  const dialog = () => {
    const known = document.getElementById('cell');
    if (known) return known;
    const made = make('dialog', { id: 'cell', 'aria-labelledby': 'cell-title' });
    made.addEventListener('close', () => { opened = null; });
    // A click beside the dialog is one on the dialog itself, which has no padding.
    made.addEventListener('click', (event) => { if (event.target === made) made.close(); });
    document.body.append(made);
    return made;
  };

  const fillDialog = (box, target) => {
    const jobs = jobsAt(target);
    const close = make('button', { type: 'button', class: 'close' }, 'Close');
    close.addEventListener('click', () => box.close());
    const heads = [['Seed', ''], ['State', ''], data.metrics[0], 'Precision', 'Recall', ...data.metrics.slice(1), 'Time', ['Job', '']];
    const errors = document.getElementById(`types-${target.panel}-${target.model}`);
    const parts = [
      make('h2', { id: 'cell-title' }, `${data.methods[target.method]} with ${data.models[target.model]} on ${data.panels[target.panel].title}`),
      make('p', {}, inWords(target, jobs)),
      tableOf('Seeds', heads, jobs.map(seedRow)),
      make('p', { class: 'note' }, 'Scores in %. ', make('code', {}, 'tailgrid explain JOB'), ' shows a job’s settings, ', make('code', {}, 'tailgrid logs JOB'), ' its log.'),
      ...typesTable(target),
    ];
    if (errors) {
      const link = make('a', { href: `#${errors.id}` }, `Types and example errors of ${data.models[target.model]}`);
      link.addEventListener('click', () => { errors.open = true; box.close(); });
      parts.push(make('p', {}, link));
    }
    box.replaceChildren(make('div', { class: 'inside' }, close, ...parts));
  };

  const openCell = (target) => {
    const box = dialog();
    fillDialog(box, target);
    opened = { panel: data.panels[target.panel].title, model: data.models[target.model], method: data.methods[target.method] };
    if (!box.open) box.showModal();
    box.scrollTop = 0;
  };

  // ---- tips of figures

  const makeTips = () => {
    const tip = document.getElementById('tip') || make('div', { id: 'tip', hidden: '' });
    document.body.append(tip);
    const hide = () => { tip.hidden = true; };
    // A browser shows a title late, and only to those who wait; without this script it does.
    for (const title of document.querySelectorAll('figure svg g > title')) {
      title.parentElement.setAttribute('data-tip', title.textContent);
      title.remove();
    }
    for (const figure of document.querySelectorAll('figure')) {
      figure.addEventListener('pointermove', (event) => {
        const mark = event.target.closest('[data-tip]');
        if (!mark) return hide();
        tip.textContent = mark.getAttribute('data-tip');
        tip.hidden = false;
        const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - tip.offsetWidth - 8);
        tip.style.left = `${Math.max(8, left)}px`;
        tip.style.top = `${event.clientY + 18}px`;
      });
      figure.addEventListener('pointerleave', hide);
    }
  };

  // ---- live

  const state = () => ({
    focus: document.activeElement && document.activeElement.id,
    tables: [...document.querySelectorAll('main [id^="table-"]')].map((holder) => {
      const table = holder.querySelector('table');
      return table && { id: holder.id, sorting: table.sorting, words: table.filtering && table.filtering.value };
    }).filter(Boolean),
    all: (document.getElementById('filter-all') || {}).value,
    folds: [...document.querySelectorAll('main details[open]')].map((fold) => fold.id),
    opened,
    scroll: window.scrollY,
  });

  const restore = (old) => {
    for (const id of old.folds) if (id && document.getElementById(id)) document.getElementById(id).open = true;
    const all = document.getElementById('filter-all');
    if (all && old.all) all.value = old.all;
    for (const { id, sorting, words } of old.tables) {
      const holder = document.getElementById(id);
      const table = holder && holder.querySelector('table');
      if (!table) continue;
      if (words && table.filtering) {
        table.filtering.value = words;
        table.filtering.dispatchEvent(new Event('input'));
      }
      if (sorting && headsOf(table)[sorting.column]) sortTable(table, sorting.column, sorting.order);
    }
    if (old.opened) {
      const target = {
        panel: data.panels.findIndex((panel) => panel.title === old.opened.panel),
        model: data.models.indexOf(old.opened.model),
        method: data.methods.indexOf(old.opened.method),
      };
      const there = Object.values(target).every((index) => index >= 0) && Array.isArray(jobsAt(target));
      const box = dialog();
      const inside = box.contains(document.activeElement);
      if (there) fillDialog(box, target);
      if (inside && box.querySelector('.close')) box.querySelector('.close').focus();
    }
    const focus = !old.opened && old.focus && document.getElementById(old.focus);
    if (focus) focus.focus({ preventScroll: true });
    window.scrollTo({ top: old.scroll, behavior: 'instant' });
  };

  const enhance = () => {
    data = readData(document);
    enhanceTables();
    filterAll();
    makeTips();
  };

  const replacePage = (text) => {
    const fresh = new DOMParser().parseFromString(text, 'text/html');
    const old = state();
    for (const part of ['header', 'nav', 'main', 'footer', '#data']) {
      const [from, to] = [fresh, document].map((page) => page.querySelector(`body > ${part}`));
      if (from && to) to.replaceWith(document.adoptNode(from));
      else if (from && part === 'nav') document.querySelector('body > main').before(document.adoptNode(from));
    }
    enhance();
    restore(old);
  };

  const POLL = 2000;
  const POLL_HIDDEN = 15000;

  const follow = () => {
    const status = make('p', { id: 'live', role: 'status' }, 'Live');
    document.body.append(status);
    const say = (words, isWrong) => {
      if (status.textContent !== words) status.textContent = words;
      status.classList.toggle('wrong', isWrong);
    };
    const ask = async (path) => {
      const answer = await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(20000) });
      if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
      return answer;
    };
    const look = async () => {
      try {
        const { version } = await (await ask('version.json')).json();
        if (version !== data.live) {
          replacePage(await (await ask('./')).text());
          say(`Live, updated ${new Date().toLocaleTimeString()}`, false);
        } else if (status.classList.contains('wrong')) {
          say('Live', false);
        }
      } catch {
        say('The server has gone: this page no longer follows the run', true);
      }
      setTimeout(look, document.hidden ? POLL_HIDDEN : POLL);
    };
    setTimeout(look, POLL);
  };

  enhance();
  if (data.live) follow();
})();
