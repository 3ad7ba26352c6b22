// Functions of the page's own modules, run without a page. Each line of the input is {source, name, inputs}, each line of the
// output {value} or {error}: what the function of that name, in a module of that source, returns or throws.

import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const { source, name, inputs } = JSON.parse(line);
  let answer;
  try {
    const text = `${source}\nexport { ${name} };`;
    const module = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`); // each text once
    answer = { value: module[name](...inputs) };
  } catch (problem) {
    answer = { error: String(problem?.message ?? problem) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
