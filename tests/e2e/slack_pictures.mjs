// Draws a conversation as Slack would: node slack_pictures.mjs CONVERSATION.json OUT.html
// Beside it: npm i --ignore-scripts slack-blocks-to-jsx@1.1.1 react@18 react-dom@18
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const from = createRequire(path.join(process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(from.resolve(name)));
const React = (await load("react")).default;
const { renderToStaticMarkup } = (await load("react-dom/server")).default;
const { Message } = await load("slack-blocks-to-jsx");

// It shows verbatim text raw, which Slack does not: the flag is left out of the picture. It takes the
// colon before a line's number for the beginning of an emoji: another sign stands in.
const without = (value) =>
  Array.isArray(value)
    ? value.map(without)
    : value && typeof value === "object"
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([key]) => key !== "verbatim" && key !== "expand")
            .map(([key, inner]) => [
              key,
              key === "text" && typeof inner === "string" ? inner.replace(/\.md:(\d)/g, ".md\u2236$1") : without(inner),
            ]),
        )
      : value;

const css = fs.readFileSync("node_modules/slack-blocks-to-jsx/dist/style.css", "utf8");
const logo =
  "data:image/svg+xml," +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" width="36" height="36"><rect width="36" height="36" rx="6" fill="#1f2a44"/></svg>',
  );
const data = { users: [{ id: "U0ANN", name: "ann" }], channels: [], user_groups: [] };
const messages = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const escape = (text) => text.replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`);
const field = (block) => {
  const chosen = block.element.type === "static_select";
  const inside = chosen ? `${block.element.placeholder.text} ▾` : "";
  const options = chosen ? block.element.options.map((one) => `<li>${escape(one.text.text)}</li>`) : [];
  return `<label>${escape(block.label.text)}${block.optional ? " (optional)" : ""}</label>
    <div class="field ${block.element.multiline ? "tall" : ""}">${escape(inside)}</div>
    <small>${escape(block.hint?.text ?? "")}</small><ul>${options.join("")}</ul>`;
};
const modal = (view) => `<div class="modal"><header>✕ <b>${escape(view.title.text)}</b>
  <button>${escape(view.submit.text)}</button></header>${view.blocks.map(field).join("")}</div>`;
const rows = messages.map((message) => {
  if (message.type === "modal") return `<div class="row">${modal(message)}</div>`;
  const shown = { blocks: without(message.blocks), name: "Nightlamp", logo, data, time: new Date(0) };
  return `<div class="row">${renderToStaticMarkup(React.createElement(Message, shown))}</div>`;
});
const style = `${css} body{margin:8px;width:374px;background:#fff;font-family:Lato,"Noto Sans","DejaVu Sans",sans-serif}
.row{margin-bottom:12px} .modal{border:1px solid #bbb;border-radius:8px;padding:12px;font-size:15px}
.modal header{display:flex;justify-content:space-between;align-items:center;margin-bottom:12px}
.modal button{background:#007a5a;color:#fff;border:0;border-radius:4px;padding:6px 12px;font-weight:bold}
.modal label{display:block;font-weight:bold;margin:8px 0 4px} .modal ul{margin:4px 0 8px 20px;color:#555;list-style:disc}
.field{border:1px solid #888;border-radius:4px;padding:8px;min-height:20px;color:#666} .tall{min-height:64px}
pre{white-space:pre-wrap;overflow-wrap:anywhere}`;
fs.writeFileSync(process.argv[3], `<!doctype html><meta charset="utf-8"><style>${style}</style>${rows.join("")}`);
