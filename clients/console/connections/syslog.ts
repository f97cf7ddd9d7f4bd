import { described } from '../forms/fields.ts'
import { createSyslogConnection } from './described.ts'
import type { ConnectionRow } from './row.ts'

const isTls = (values: Readonly<Record<string, string>>): boolean => values['syslog_params/transport'] === 'tls'

export const syslog: ConnectionRow = {
  service: 'log-forwarders/syslog',
  name: 'syslog',
  title: 'Syslog server',
  about: 'A server that receives the audit log of this service.',
  fields: described(createSyslogConnection, [
    { name: 'host', label: 'Host' },
    { name: 'port', label: 'Port', min: 1, max: 65_535 },
    { name: 'syslog_params/transport', label: 'Transport', initial: 'tls' },
    {
      ...{ name: 'syslog_params/ca_cert', label: 'Certificate of the authority', kind: 'area', when: isTls },
      hint: 'PEM; only where the authority is not a public one.',
    },
    { name: 'syslog_params/message_format', label: 'Format' },
  ]),
  ways: [],
  rest: [],
  help: [
    {
      title: 'What the server must allow',
      steps: [
        'The server accepts messages from this service at the port you enter.',
        'With TLS, its certificate names the host.',
      ],
    },
  ],
  faults: [
    {
      matches: /certificate/i,
      step: 'log_in',
      next: ['Enter the certificate of the authority that signed the certificate of the server.'],
    },
  ],
}
