/** The parts of express that the gateway uses, on node:http alone: measures a gateway's cost without express. */
import { IncomingMessage, ServerResponse } from 'node:http';

export default function express() {
  const steps = [];
  const app = (request, response) => {
    response.locals = {};
    request.path = request.url.split('?', 1)[0];
    run(steps, request, response);
  };
  app.request = IncomingMessage.prototype;
  app.response = ServerResponse.prototype;
  app.disable = () => app;
  app.enable = () => app;
  app.use = (mount, handler) => {
    steps.push(typeof mount === 'string' ? { mount, handler } : { mount: '', handler: mount });
    return app;
  };
  app.all = (paths, handler) => {
    for (const path of paths) steps.push({ mount: path, handler, whole: true });
    return app;
  };
  return app;
}

function run(steps, request, response) {
  const { url } = request;
  let at = 0;
  const next = (error) => {
    request.url = url;
    const step = steps[at++];
    if (step === undefined) return;
    const { mount, handler, whole } = step;
    if ((handler.length === 4) !== (error !== undefined) || !(whole ? url.split('?', 1)[0] === mount : isBelow(mount, url))) return next(error);
    if (mount !== '') request.url = url.slice(mount.length) || '/';
    try {
      if (error === undefined) handler(request, response, next);
      else handler(error, request, response, next);
    } catch (thrown) {
      next(thrown);
    }
  };
  next();
}

function isBelow(mount, url) {
  return mount === '' || url === mount || url.startsWith(`${mount}/`) || url.startsWith(`${mount}?`);
}
