'use strict';
// Sorts and filters tables, opens cells, tells the numbers of figures, and keeps a served page up to date.
// Texts are only ever set as texts: nothing here makes markup of data. Without this script everything can
// still be read.
(() => {
  const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  let data = null;
  let opened = null;
  // The tables that can be sorted, filtered or opened.
  let tables = [];

  // ---- elements

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const counted = (n, noun) => (n === 1 ? `one ${noun}` : `${n} ${noun}s`);

  const readData = (page) => JSON.parse(page.getElementById('data').textContent);

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
    keepTabStop(table);
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

  // What a reader sees of a row, with the heads that were printed some rows above it.
  const wordsOf = (row) => {
    const copy = row.cloneNode(true);
    for (const said of copy.querySelectorAll('td .unseen')) said.remove();
    return copy.textContent.toLowerCase();
  };

  const shownRows = (table) => [...table.tBodies[0].rows].filter((row) => !row.hidden).length;

  const filterTable = (table, words) => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of table.tBodies[0].rows) {
      if (row.words === undefined) row.words = wordsOf(row);
      row.hidden = !wanted.every((word) => row.words.includes(word));
    }
    table.classList.toggle('filtered', wanted.length > 0);
    table.words = words;
    if (table.filter) {
      table.filter.input.value = words;
      table.filter.status.textContent = wanted.length ? `${shownRows(table)} of ${table.tBodies[0].rows.length} rows` : '';
    }
    keepTabStop(table);
  };

  const searchField = (id) => make('input', { type: 'search', id, autocomplete: 'off', spellcheck: 'false' });

  const makeFilter = (table, id, title) => {
    const [input, status] = [searchField(`${id}-filter`), make('span', { role: 'status' })];
    input.setAttribute('aria-label', `Filter rows: ${title}`);
    input.setAttribute('placeholder', 'Filter rows');
    input.addEventListener('input', () => filterTable(table, input.value));
    const region = table.closest('.scroll') || table;
    region.before(make('div', { class: 'filter' }, input, status));
    table.filter = { input, status };
  };

  // A table with fewer rows is looked over faster than a word is typed.
  const LEAST_ROWS = 6;

  const enhanceTables = () => {
    tables = [];
    for (const holder of document.querySelectorAll('main [id^="table-"]')) {
      const table = holder.querySelector('table');
      if (!table || !table.tHead || !table.tBodies.length) continue;
      tables.push(table);
      const rows = [...table.tBodies[0].rows];
      rows.forEach((row, place) => { row.place = place; });
      openCells(table, holder.id);
      if (rows.length < 2) continue;
      makeSortable(table, holder.id);
      const title = holder.querySelector('h2, h3, h4');
      if (rows.length >= LEAST_ROWS) makeFilter(table, holder.id, title ? title.textContent : '');
    }
  };

  // One filter for all tables, where there are several; also for those that have none of their own.
  const filterAll = () => {
    if (tables.length < 2) return;
    const [input, status] = [searchField('filter-all'), make('span', { role: 'status', id: 'filter-all-status' })];
    const label = make('label', { for: 'filter-all' }, 'Filter the rows of every table');
    input.addEventListener('input', () => {
      for (const table of tables) filterTable(table, input.value);
      tellAll();
    });
    document.querySelector('main').prepend(make('div', { class: 'tools' }, label, input, status));
  };

  const tellAll = () => {
    const [input, status] = ['filter-all', 'filter-all-status'].map((id) => document.getElementById(id));
    if (!input) return;
    const sum = (count) => tables.reduce((all, table) => all + count(table), 0);
    const all = () => `${sum(shownRows)} of ${sum((table) => table.tBodies[0].rows.length)} rows of all tables`;
    status.textContent = input.value.trim() ? all() : '';
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
    keepTabStop(table);
    table.addEventListener('click', (event) => {
      const button = event.target.closest('button.open');
      if (button) openCell(button.target);
    });
    table.addEventListener('focusin', (event) => {
      if (!event.target.matches('button.open')) return;
      for (const other of table.querySelectorAll('button.open[tabindex="0"]')) other.tabIndex = -1;
      event.target.tabIndex = 0;
    });
    table.addEventListener('keydown', moveFocus);
  };

  // The first cell that is seen takes the Tab key: rows go and move when a table is filtered or sorted.
  const keepTabStop = (table) => {
    const buttons = [...table.querySelectorAll('button.open')];
    const first = buttons.find((button) => !button.closest('tr').hidden);
    for (const button of buttons) button.tabIndex = button === first ? 0 : -1;
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

  const seedRow = (verdicts) => (job) => {
    const [seed, key, time, first] = job;
    const known = make('code', {}, key);
    const place = [String(seed), ''];
    const open = job.length === 3 ? 'decided' : 'not run';
    if (job.length < 4) return [place, [open, 'gap'], '', '', '', ...data.metrics.slice(1).map(() => ''), '', [known, '']];
    if (job.length === 4) {
      const reason = [data.reasons[first], 'gap reason'];
      return [place, ['failed', 'gap'], '', '', '', ...data.metrics.slice(1).map(() => ''), seconds(time), [make('span', {}, known, make('br'), reason[0]), reason[1]]];
    }
    const verdict = verdicts && verdicts[seed];
    const state = verdict ? [`done, ${verdict}`, 'gap'] : ['done', ''];
    return [place, state, ...job.slice(3).map(percent), seconds(time), [known, '']];
  };

  const meanOf = (jobs) => {
    const scores = jobs.filter((job) => job.length > 4).map((job) => job[3]);
    return scores.length ? scores.reduce((sum, score) => sum + score, 0) / scores.length : null;
  };

  // In words: the mean, how many seeds it is over, and how it stands to the baseline: by the difference of
  // the table of comparisons, which is over the seeds that both have.
  const inWords = (target, jobs) => {
    const done = jobs.filter((job) => job.length > 4).length;
    const failed = jobs.filter((job) => job.length === 4).length;
    const mean = meanOf(jobs);
    const parts = [`${done} of ${jobs.length} seeds have a score`];
    if (failed) parts.push(`${failed} failed`);
    let words = parts.join(', ') + '.';
    if (mean !== null) words += ` Mean ${data.metrics[0]} ${percent(mean)} %.`;
    const against = data.panels[target.panel].against[target.model][target.method];
    if (against && data.baseline !== null) {
      const [difference, seeds] = against;
      words += ` Over the ${counted(seeds, 'seed')} that both have it is ${difference} points against ${data.methods[data.baseline]}; the table of comparisons has the test.`;
    }
    return words;
  };

  // Beside the baseline's, both over the seeds that both have, where there are such.
  const typesTable = ({ panel, model, method }) => {
    const { types, byType } = data.panels[panel];
    if (!byType[model][method]) return [];
    const [own, base, seeds] = byType[model][method];
    const difference = (index) => (own[index] === null || base[index] === null ? '–' : signed(own[index] - base[index]));
    const beside = (index) => (base ? [percent(base[index]), difference(index)] : []);
    const rows = types.map((name, index) => [[name, ''], percent(own[index]), ...beside(index)]);
    const heads = [['Type', ''], 'F1', ...(base ? [data.methods[data.baseline], 'Difference'] : [])];
    const over = base ? ` over the ${counted(seeds, 'seed')} that both have` : '';
    return [make('h3', {}, `Mean F1 by type${over}, the rarest first`), tableOf('Mean F1 by type', heads, rows)];
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
    const { cautions, verdicts } = data.panels[target.panel];
    const errors = document.getElementById(`types-${target.panel}-${target.model}`);
    const parts = [
      make('h2', { id: 'cell-title' }, `${data.methods[target.method]} with ${data.models[target.model]} on ${data.panels[target.panel].title}`),
      ...(cautions[target.model][target.method] || []).map((text) => make('p', { class: 'caution' }, text)),
      make('p', {}, inWords(target, jobs)),
      tableOf('Seeds', heads, jobs.map(seedRow(verdicts[target.model][target.method]))),
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

  const tip = make('div', { id: 'tip', role: 'status', hidden: '' });

  const hideTip = () => { tip.hidden = true; };

  const showTip = (text, x, y) => {
    if (tip.textContent !== text) tip.textContent = text;
    tip.hidden = false;
    const { clientWidth, clientHeight } = document.documentElement;
    const within = (place, size, all) => `${Math.max(8, Math.min(place, all - size - 8))}px`;
    tip.style.left = within(x + 14, tip.offsetWidth, clientWidth);
    tip.style.top = within(y + 18, tip.offsetHeight, clientHeight);
  };

  const tipAtPointer = (event) => {
    const mark = event.target.closest('[data-tip]');
    if (mark) showTip(mark.getAttribute('data-tip'), event.clientX, event.clientY);
    else hideTip();
  };

  // Arrow keys go from mark to mark of the drawing that has the focus.
  const tipByKey = (event) => {
    if (event.key === 'Escape') return hideTip();
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const drawing = event.currentTarget;
    const marks = [...drawing.querySelectorAll('[data-tip]')];
    if (!step || !marks.length || event.ctrlKey || event.altKey || event.metaKey) return undefined;
    event.preventDefault();
    const next = (drawing.mark === undefined ? (step > 0 ? 0 : -1) : drawing.mark + step) + marks.length;
    drawing.mark = next % marks.length;
    const mark = marks[drawing.mark];
    mark.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const box = mark.getBoundingClientRect();
    return showTip(mark.getAttribute('data-tip'), box.left + box.width / 2, box.top + box.height / 2);
  };

  const introduceKeys = ({ currentTarget: drawing }) => {
    if (!drawing.matches(':focus-visible') || !drawing.querySelector('[data-tip]')) return;
    const box = drawing.getBoundingClientRect();
    showTip('← and → tell the numbers of each mark', box.left, box.top);
  };

  const makeTips = () => {
    document.body.append(tip);
    hideTip();
    // A browser shows a title late, and only to those who wait with a mouse; without this script it does.
    for (const title of document.querySelectorAll('figure svg g > title')) {
      title.parentElement.setAttribute('data-tip', title.textContent);
      title.remove();
    }
    for (const figure of document.querySelectorAll('figure')) {
      const isTouch = (event) => event.pointerType === 'touch';
      figure.addEventListener('pointerdown', tipAtPointer);
      figure.addEventListener('pointermove', (event) => { if (!isTouch(event)) tipAtPointer(event); });
      // A finger leaves with every tap; what it asked for stays until the next one.
      figure.addEventListener('pointerleave', (event) => { if (!isTouch(event)) hideTip(); });
      figure.addEventListener('pointercancel', hideTip);
    }
    for (const drawing of document.querySelectorAll('figure .drawing')) {
      drawing.addEventListener('keydown', tipByKey);
      drawing.addEventListener('focus', introduceKeys);
      drawing.addEventListener('blur', hideTip);
    }
  };

  const hideTipsElsewhere = () => {
    document.addEventListener('pointerdown', (event) => { if (!event.target.closest('figure')) hideTip(); });
  };

  // ---- paper

  // What is folded on the screen is printed too.
  const unfoldForPrint = () => {
    let folded = [];
    window.addEventListener('beforeprint', () => {
      folded = [...document.querySelectorAll('main details:not([open])')];
      for (const fold of folded) fold.open = true;
    });
    window.addEventListener('afterprint', () => {
      for (const fold of folded) fold.open = false;
      folded = [];
    });
  };

  // ---- live

  const state = () => ({
    focus: document.activeElement && document.activeElement.id,
    tables: [...document.querySelectorAll('main [id^="table-"]')].map((holder) => {
      const table = holder.querySelector('table');
      return table && { id: holder.id, sorting: table.sorting, words: table.words };
    }).filter(Boolean),
    all: (document.getElementById('filter-all') || {}).value,
    folds: [...document.querySelectorAll('main details[open]')].map((fold) => fold.id),
    opened,
    scroll: window.scrollY,
  });

  const restore = (old) => {
    for (const id of old.folds) if (id && document.getElementById(id)) document.getElementById(id).open = true;
    const all = document.getElementById('filter-all');
    if (all && old.all) {
      all.value = old.all;
      // Also in tables that were not there before.
      for (const table of tables) filterTable(table, old.all);
    }
    for (const { id, sorting, words } of old.tables) {
      const holder = document.getElementById(id);
      const table = holder && holder.querySelector('table');
      if (!table) continue;
      if (words) filterTable(table, words);
      if (sorting && headsOf(table)[sorting.column]) sortTable(table, sorting.column, sorting.order);
    }
    tellAll();
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
    let timer = 0;
    let isLooking = false;
    const look = async () => {
      clearTimeout(timer);
      if (isLooking) return;
      isLooking = true;
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
      isLooking = false;
      timer = setTimeout(look, document.hidden ? POLL_HIDDEN : POLL);
    };
    timer = setTimeout(look, POLL);
    // Whoever comes back to the page looks at once, and whoever leaves it has seen the newest.
    document.addEventListener('visibilitychange', look);
  };

  enhance();
  hideTipsElsewhere();
  unfoldForPrint();
  if (data.live) follow();
})();
