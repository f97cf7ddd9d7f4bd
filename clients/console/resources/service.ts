/** Settings of the service, and rules for its keys and alarms. */
import { callTo } from '../calls.ts'
import { described } from '../forms/fields.ts'
import { HOME } from '../home.ts'
import { createAlarmRule, createLocalKeyPolicy, createLocalKeyTemplate, createLogForwarder } from './described.ts'
import { byName, change, deletion, type ResourceRow } from './row.ts'

const isType =
  (type: string) =>
  ({ type: chosen }: Readonly<Record<string, string>>): boolean =>
    chosen === type

const RULE = described(createAlarmRule, [
  { name: 'severity', label: 'Severity' },
  { name: 'condition', label: 'Condition' },
  { name: 'threshold', label: 'Records that raise it', min: 1 },
  { name: 'interval', label: 'Within (seconds)', min: 1 },
  { name: 'enabled', label: 'Enabled' },
])

export const SERVICE: readonly ResourceRow[] = [
  {
    ...{ name: 'alarms', title: 'Alarms', noun: 'alarm' },
    about: 'Alarms that are on or were on.',
    path: '/v1/system/alarms',
    item: '/v1/system/alarms/{id}',
    columns: [
      ['state', 'State'],
      ['severity', 'Severity'],
      ['triggeredAt', 'Since'],
      ['acknowledgedBy', 'Acknowledged by'],
    ],
    filters: [
      { name: 'state', label: 'State', values: ['on', 'off'], isFirst: true },
      { name: 'severity', label: 'Severity', values: ['critical', 'error', 'warning', 'info'], isFirst: true },
    ],
    actions: [
      {
        ...{ name: 'acknowledge', title: 'Acknowledge', done: 'The alarm is acknowledged.' },
        about: 'Records that you know of the alarm. It stays on until its cause ends or it is cleared.',
        applies: ({ state, acknowledgedAt }) => state === 'on' && acknowledgedAt === undefined,
        call: ({ id }) => callTo('post', '/v1/system/alarms/{id}/acknowledge', { path: { id: String(id) } }),
      },
      {
        ...{ name: 'clear', title: 'Clear', done: 'The alarm is off.' },
        about: 'Turns the alarm off. It comes back when its cause does.',
        applies: ({ state }) => state === 'on',
        call: ({ id }) => callTo('post', '/v1/system/alarms/{id}/clear', { path: { id: String(id) } }),
      },
    ],
    empty: 'No alarm is on.',
    next: { title: 'See the rules that raise alarms', at: `${HOME}administration/alarm-rules` },
  },
  {
    ...{ name: 'alarm-rules', title: 'Alarm rules', noun: 'alarm rule' },
    about: 'Audit records that raise an alarm.',
    path: '/v1/audit/alarm-configs',
    item: '/v1/audit/alarm-configs/{id}',
    columns: [
      ['severity', 'Severity'],
      ['enabled', 'Enabled'],
      ['builtin', 'Built in'],
      ['condition', 'Condition'],
    ],
    filters: [byName(), { name: 'enabled', label: 'Enabled', values: 'flag', isFirst: true }],
    add: {
      title: 'Add an alarm rule',
      path: '/v1/audit/alarm-configs',
      fields: [...described(createAlarmRule, [{ name: 'name', label: 'Name' }]), ...RULE],
    },
    actions: [
      change('/v1/audit/alarm-configs/{id}', 'alarm rule', RULE),
      deletion('/v1/audit/alarm-configs/{id}', 'alarm rule'),
    ],
    empty: 'Only the built-in rules raise alarms.',
  },
  {
    ...{ name: 'forwarders', title: 'Log forwarders', noun: 'log forwarder' },
    about: 'Servers that receive the audit log.',
    path: '/v1/configs/log-forwarders',
    item: '/v1/configs/log-forwarders/{id}',
    columns: [
      ['type', 'Kind'],
      ['enabled', 'Enabled'],
      ['last_sent_at', 'Last sent'],
      ['last_error', 'Fault'],
    ],
    filters: [byName(), { name: 'enabled', label: 'Enabled', values: 'flag', isFirst: true }],
    add: {
      title: 'Add a log forwarder',
      path: '/v1/configs/log-forwarders',
      fields: described(createLogForwarder, [
        { name: 'name', label: 'Name' },
        { name: 'type', label: 'Kind', initial: 'syslog' },
        {
          ...{ name: 'connection_id', label: 'Id of the connection', isRequired: true, when: isType('syslog') },
          hint: 'Of a connection to a syslog server.',
        },
        { name: 'webhook_params/url', label: 'Address', isRequired: true, when: isType('webhook') },
        { name: 'webhook_params/secret', label: 'Secret', kind: 'secret', isRequired: true, when: isType('webhook') },
      ]),
    },
    actions: [
      change('/v1/configs/log-forwarders/{id}', 'log forwarder', [{ name: 'enabled', label: 'Enabled', kind: 'flag' }]),
      deletion('/v1/configs/log-forwarders/{id}', 'log forwarder', { about: 'The server receives no more records.' }),
    ],
    empty: 'No log leaves this service. A forwarder sends it to a server of yours.',
  },
  {
    ...{ name: 'settings', title: 'Settings', noun: 'setting' },
    about: 'Properties of the service.',
    path: '/v1/configs/properties',
    item: '/v1/configs/properties/{name}',
    idBy: 'name',
    columns: [
      ['value', 'Value'],
      ['default', 'Default'],
      ['description', 'Description'],
    ],
    filters: [byName()],
    actions: [
      change('/v1/configs/properties/{name}', 'setting', [{ name: 'value', label: 'Value', isRequired: true }], {
        idBy: 'name',
      }),
    ],
    empty: 'No setting has such a name.',
    next: { title: 'See everything that is set up', at: `${HOME}administration` },
  },
  {
    ...{ name: 'templates', title: 'Key templates', noun: 'key template' },
    about: 'Values for new local keys.',
    path: '/v1/vault/templates',
    item: '/v1/vault/templates/{id}',
    columns: [
      ['algorithm', 'Algorithm'],
      ['size', 'Size (bits)'],
    ],
    filters: [byName()],
    add: {
      title: 'Add a key template',
      path: '/v1/vault/templates',
      fields: described(createLocalKeyTemplate, [
        { name: 'name', label: 'Name' },
        { name: 'algorithm', label: 'Algorithm' },
        { name: 'size', label: 'Size (bits)', min: 1 },
        { name: 'curveid', label: 'Curve' },
        { name: 'rotationFrequencyDays', label: 'Rotate after (days)', min: 1 },
        { name: 'unexportable', label: 'Never export the material' },
        { name: 'undeletable', label: 'Never delete the key' },
      ]),
    },
    actions: [deletion('/v1/vault/templates/{id}', 'key template')],
    empty: 'There is no key template.',
  },
  {
    ...{ name: 'key-policies', title: 'Key policies', noun: 'key policy' },
    about: 'Algorithms and sizes that new local keys may have.',
    path: '/v1/vault/key-policies',
    item: '/v1/vault/key-policies/{id}',
    columns: [
      ['enabled', 'Enabled'],
      ['algorithms', 'Algorithms'],
      ['sizes', 'Sizes (bits)'],
    ],
    filters: [byName()],
    add: {
      title: 'Add a key policy',
      path: '/v1/vault/key-policies',
      fields: described(createLocalKeyPolicy, [
        { name: 'name', label: 'Name' },
        { name: 'description', label: 'Description' },
        { name: 'algorithms', label: 'Algorithms', hint: 'One on each line.' },
        { name: 'enabled', label: 'Enabled' },
      ]),
    },
    actions: [deletion('/v1/vault/key-policies/{id}', 'key policy')],
    empty: 'New keys may have every algorithm of this service.',
  },
  {
    ...{ name: 'cloud-units', title: 'Cloud units', noun: 'cloud' },
    about: 'How many keys of each cloud this domain has, and may have.',
    path: '/v1/keymgr/cloud-units',
    idBy: 'cloud_name',
    nameBy: 'cloud_name',
    columns: [
      ['used', 'Keys'],
      ['limit', 'At most (-1: no limit)'],
    ],
    filters: [],
    actions: [],
    empty: 'No cloud is offered here.',
    next: { title: 'See the connections', at: `${HOME}connections` },
  },
]
