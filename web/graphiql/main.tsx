import './workers';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import '@graphiql/plugin-explorer/style.css';
import 'graphiql/graphiql.css';
import './page.css';
import './analyst.css';
import { createRoot } from 'react-dom/client';
import { mountBar } from '../shared/bar';
import { Console } from './console';

createRoot(document.getElementById('app')!).render(<Console bar={mountBar('/graphiql')} />);
