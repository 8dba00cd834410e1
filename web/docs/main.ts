import 'swagger-ui-dist/swagger-ui.css';
import './page.css';
import createSwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { mountBar } from '../shared/bar';
import { followSystemTheme } from '../shared/theme';

const bar = mountBar('/docs');
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
  requestInterceptor: (request) => {
    const ours = new URL(request.url, location.href).origin === location.origin;
    if (ours && bar.key()) request.headers['X-Service-Api-Key'] = bar.key();
    return request;
  },
});
