/** The certificate authority of a home installation: certificates for its link and its page that robots and browsers can trust. */
export { Authority, mayCertify, type Certificate, type Names } from './authority.js';
