import 'swagger-ui-dist/swagger-ui.css';
import './page.css';
import createSwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { mountBar } from '../shared/bar';
import { createCredentials } from '../shared/credentials';
import { followSystemTheme } from '../shared/theme';
import { commandWithoutSecrets } from './command';
import { executeOnceResolved } from './execute';

const credentials = createCredentials(mountBar('/docs'));
followSystemTheme((dark) => document.documentElement.classList.toggle('dark-mode', dark));

createSwaggerUI({
  url: '/openapi.json',
  dom_id: '#app',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  persistAuthorization: false,
  showCommonExtensions: true,
  showExtensions: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [commandWithoutSecrets, executeOnceResolved],
  requestInterceptor: (request) => {
    const ours = new URL(request.url, location.href).origin === location.origin;
    if (ours) request.userFetch = credentials.fetch;
    return request;
  },
});
