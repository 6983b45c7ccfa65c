// The `openai` package of npm as it reads a server's streams, TIMES in a row: a line of text for each
// token's event.
//   openai_stream.cjs PACKAGES URL BODY TIMES   PACKAGES: a folder with node_modules; the prompt and
//                                               the temperature are those of the JSON in BODY
'use strict';
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');

const [packages, url, bodyFile, times] = process.argv.slice(2);
const { OpenAI } = createRequire(join(packages, 'index.js'))('openai');

async function main() {
  const { prompt, temperature, n_predict } = JSON.parse(readFileSync(bodyFile, 'utf8'));
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
  const question = { model: 'any', prompt, temperature, max_tokens: n_predict, stream: true };
  for (let i = 0; i < Number(times); ++i) {
    const stream = await client.completions.create(question);
    for await (const part of stream)
      console.log(JSON.stringify({ text: part.choices[0]?.text ?? '' }));
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
