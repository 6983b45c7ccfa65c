// Reads TIMES streams of a server in a row with npm's `openai` package. Prints each text on a line.
//   openai_stream.cjs PACKAGES URL BODY TIMES   PACKAGES is a folder with node_modules. Each request
//                                               sends the JSON of the file BODY to /v1/completions.
'use strict';
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');

const [packages, url, bodyFile, times] = process.argv.slice(2);
const { OpenAI } = createRequire(join(packages, 'index.js'))('openai');

async function main() {
  const body = JSON.parse(readFileSync(bodyFile, 'utf8'));
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });
  const question = { ...body, model: 'any', max_tokens: body.n_predict, stream: true };
  for (let i = 0; i < Number(times); ++i) {
    const stream = await client.completions.create(question);
    let text = '';
    for await (const part of stream) text += part.choices[0]?.text ?? '';
    console.log(JSON.stringify({ text }));
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
