import { page } from '../page.config.ts';

export default page('docs');
