// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at the report that it stands in as a browser has laid it out, wide and
// as a phone would: a line of TAP for each finding, in <pre id="found">.
window.addEventListener('load', () => {
  const found = [];
  const ok = (good, what) => found.push(`${good ? 'ok' : 'not ok'} - ${what}`);
  const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 &&
      a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
  const apart = (a, b) => a.right <= b.left + 0.5 || b.right <= a.left + 0.5 ||
      a.bottom <= b.top + 2 || b.bottom <= a.top + 2;

  function data(view, svg, where) {
    const paths = [...svg.querySelectorAll('.line, .bar, .dots, .heat')];
    ok(paths.some(p => p.getAttribute('d').length > 4), `${where}: a path`);
    const colours = paths.map(p => {
      const style = view.getComputedStyle(p);
      return style.stroke !== 'none' && !p.matches('.heat') ? style.stroke
                                                            : style.fill;
    });
    const page = view.getComputedStyle(svg.ownerDocument.body).backgroundColor;
    ok(colours.every(c => c !== 'none' && c !== page), `${where}: is seen`);
    const box = svg.getBoundingClientRect();
    ok(paths.filter(p => p.getAttribute('d'))
           .every(p => inside(p.getBoundingClientRect(), box)),
       `${where}: the data are inside`);
  }

  // Names of marks may stand on bars.
  function marks(view, svg, where) {
    const page = view.getComputedStyle(svg.ownerDocument.body).backgroundColor;
    const styles = [...svg.querySelectorAll('.marked')].map(
        t => view.getComputedStyle(t));
    ok(styles.every(s => s.paintOrder.startsWith('stroke') && s.stroke === page),
       `${where}: marks have an edge in the colour of the page`);
  }

  function texts(svg, where) {
    const all = [...svg.querySelectorAll('text')];
    const boxes = all.map(t => t.getBoundingClientRect());
    const svgBox = svg.getBoundingClientRect();
    ok(all.length >= 4 && all.every(t => t.textContent.trim()),
       `${where}: text`);
    ok(boxes.every(b => inside(b, svgBox)), `${where}: text is not cut`);
    const least = Math.min(...boxes.map(b => b.height));
    ok(least >= 8.9, `${where}: text can be read (${least.toFixed(1)} px)`);
    const ticks = boxes.filter((b, i) => all[i].matches('.tick, .label'));
    ok(ticks.every((a, i) => ticks.slice(i + 1).every(b => apart(a, b))),
       `${where}: labels do not touch`);
  }

  function look(view, name) {
    const page = view.document;
    const pictures = [...page.querySelectorAll('svg')];
    ok(pictures.length > 0, `${name}: pictures`);
    for (const svg of pictures) {
      const where = `${name}, ${svg.id}`;
      ok(svg.querySelector('title').textContent, `${where}: a title`);
      ok(svg.querySelector('.axis').getTotalLength() > 200, `${where}: axes`);
      data(view, svg, where);
      texts(svg, where);
      marks(view, svg, where);
    }
    ok(page.documentElement.scrollWidth <= page.documentElement.clientWidth,
       `${name}: nothing is wider than the page`);
    ok(view.performance.getEntriesByType('resource')
           .every(e => e.initiatorType === 'iframe'),
       `${name}: nothing is fetched`);
  }

  document.querySelectorAll('script').forEach(s => s.remove());
  const text = document.documentElement.outerHTML;
  look(window, 'wide');
  const frame = document.createElement('iframe');
  frame.style.cssText = 'width:360px;height:640px;border:0';
  frame.onload = () => {
    look(frame.contentWindow, 'phone');
    const out = document.createElement('pre');
    out.id = 'found';
    out.textContent = `\n${found.join('\n')}\nend\n`;
    document.body.replaceChildren(out);
  };
  frame.srcdoc = text;
  document.body.append(frame);
});
