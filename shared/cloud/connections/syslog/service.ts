/** `service` of connections to syslog servers, and `{svc}` of their paths. */
export const SYSLOG = 'log-forwarders/syslog'
