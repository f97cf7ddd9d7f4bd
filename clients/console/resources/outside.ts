/** Credentials of the platform, and servers that receive logs. */
import { described } from '../forms/fields.ts'
import { createPlatformCredential, createScrapeCredential, createSyslogServer } from './described.ts'
import { byName, change, deletion, type ResourceRow } from './row.ts'

const SYSLOG = described(createSyslogServer, [
  { name: 'host', label: 'Host' },
  { name: 'port', label: 'Port', min: 1 },
  { name: 'transport', label: 'Transport' },
  { name: 'message_format', label: 'Format' },
  { name: 'ca_cert', label: 'Certificate of its authority' },
])

export const OUTSIDE: readonly ResourceRow[] = [
  {
    ...{ name: 'platform-credentials', title: 'Platform credentials', noun: 'platform credential' },
    about: 'Credentials with which a program fetches exports of the audit log.',
    path: '/v1/audit/platform-credentials',
    item: '/v1/audit/platform-credentials/{id}',
    columns: [
      ['client_id', 'Client id'],
      ['created_by', 'Created by'],
      ['createdAt', 'Created'],
    ],
    filters: [byName()],
    add: {
      title: 'Make a platform credential',
      path: '/v1/audit/platform-credentials',
      fields: described(createPlatformCredential, [{ name: 'name', label: 'Name' }]),
      once: [
        ['client_id', 'Client id'],
        ['client_secret', 'Client secret'],
      ],
    },
    actions: [
      deletion('/v1/audit/platform-credentials/{id}', 'platform credential', {
        about: 'Programs that use it can fetch no export from then on.',
      }),
    ],
    empty: 'No program fetches exports of the audit log.',
  },
  {
    ...{ name: 'scrape-credentials', title: 'Scrape credentials', noun: 'scrape credential' },
    about: 'Credentials with which a program reads the metrics of the deployment, and nothing else.',
    path: '/v1/system/scrape-credentials',
    item: '/v1/system/scrape-credentials/{id}',
    columns: [
      ['created_by', 'Created by'],
      ['createdAt', 'Created'],
    ],
    filters: [byName()],
    add: {
      title: 'Make a scrape credential',
      path: '/v1/system/scrape-credentials',
      fields: described(createScrapeCredential, [{ name: 'name', label: 'Name' }]),
      once: [['token', 'Token']],
    },
    actions: [
      deletion('/v1/system/scrape-credentials/{id}', 'scrape credential', {
        about: 'Programs that use it can read no metrics from then on.',
      }),
    ],
    empty: 'No program reads the metrics.',
  },
  {
    ...{ name: 'syslogs', title: 'Syslog servers', noun: 'syslog server' },
    about: 'Servers that receive every record of the service.',
    path: '/v1/configs/syslogs',
    item: '/v1/configs/syslogs/{id}',
    nameBy: 'host',
    columns: [
      ['transport', 'Transport'],
      ['last_sent_at', 'Last sent'],
      ['last_error', 'Fault'],
    ],
    filters: [byName('host', 'Host')],
    add: { title: 'Add a syslog server', path: '/v1/configs/syslogs', fields: SYSLOG },
    actions: [
      change('/v1/configs/syslogs/{id}', 'syslog server', SYSLOG),
      deletion('/v1/configs/syslogs/{id}', 'syslog server', {
        ...{ nameBy: 'host', about: 'The server receives no more records.' },
      }),
    ],
    empty: 'No record is sent to a syslog server.',
  },
]
