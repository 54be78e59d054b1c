/** Requests a URL COUNT times at once, apart from the process that measures; prints the results as JSON. Arguments: URL, API key, COUNT. */
import { request } from 'node:http';

const [url, key, count] = process.argv.slice(2);

function read() {
  return new Promise((resolve) => {
    const call = request(url, { headers: { authorization: `Bearer ${key}` }, agent: false });
    call.on('error', (error) => resolve({ status: 0, error: error.message }));
    call.on('response', (response) => {
      let bytes = 0;
      response.on('data', (chunk) => (bytes += chunk.length));
      response.on('close', () => resolve({ status: response.statusCode, complete: response.complete, bytes }));
    });
    call.end();
  });
}

process.stdout.write(`${JSON.stringify(await Promise.all(Array.from({ length: Number(count) }, read)))}\n`);
