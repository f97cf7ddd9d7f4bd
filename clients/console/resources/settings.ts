/** Settings with one record each, and facts about the service. */
import { callTo } from '../calls.ts'
import { HOME } from '../home.ts'
import { changeOnly, type Resource, type ResourceRow } from './row.ts'

const next = { title: 'See everything that is set up', at: `${HOME}administration` } as const
const MESSAGE = [
  { name: 'message', label: 'Message', kind: 'area', hint: 'Without a message there is no banner.' },
] as const

const banner = (
  name: string,
  title: string,
  about: string,
  path: '/v1/auth/banners/pre-auth' | '/v1/auth/banners/post-auth',
) =>
  ({
    ...{ name, title, noun: 'banner', about, path, item: path, only: title, next },
    columns: [['message', 'Message']],
    filters: [],
    actions: [changeOnly(path, 'banner', MESSAGE, { keepsEmpty: true })],
    empty: 'There is no banner.',
  }) as const satisfies ResourceRow

const isEnabled = ({ enabled }: Resource): boolean => enabled === true

export const SETTINGS: readonly ResourceRow[] = [
  banner('log-in-banner', 'Log-in banner', 'A text that everyone sees before the log-in.', '/v1/auth/banners/pre-auth'),
  banner('welcome-banner', 'Welcome banner', 'A text that users see after the log-in.', '/v1/auth/banners/post-auth'),
  {
    ...{ name: 'backup-settings', title: 'Backups of cloud keys', noun: 'settings of backups', next },
    about: 'How many backups of a cloud key are kept, and when they are taken.',
    ...{ path: '/v1/keymgr/settings/backups', item: '/v1/keymgr/settings/backups', only: 'Backups of cloud keys' },
    columns: [
      ['cloud_key_backup_limit', 'Kept for each key'],
      ['take_backup_on_sync', 'Taken by a synchronization'],
    ],
    filters: [],
    actions: [
      changeOnly('/v1/keymgr/settings/backups', 'settings', [
        { name: 'cloud_key_backup_limit', label: 'Kept for each key', kind: 'number', min: 1, isRequired: true },
        { name: 'take_backup_on_sync', label: 'Taken by a synchronization', kind: 'flag' },
      ]),
    ],
    empty: 'Nothing is set.',
  },
  {
    ...{ name: 'log-redirection', title: 'Redirection of logs', noun: 'redirection', next },
    about: 'Whether records of this domain go to the log forwarders of the root domain.',
    path: '/v1/configs/log-forwarders-domain-redirection/status',
    item: '/v1/configs/log-forwarders-domain-redirection/status',
    only: 'Redirection of logs',
    columns: [['enabled', 'Enabled']],
    filters: [],
    actions: [
      {
        ...{ name: 'enable', title: 'Enable', done: 'Records are redirected.' },
        about: 'Sends records of this domain to the log forwarders of the root domain.',
        applies: (status) => !isEnabled(status),
        call: () => callTo('post', '/v1/configs/log-forwarders-domain-redirection/enable'),
      },
      {
        ...{ name: 'disable', title: 'Disable', done: 'Records are no longer redirected.' },
        about: 'The log forwarders of the root domain receive no more records of this domain.',
        applies: isEnabled,
        call: () => callTo('post', '/v1/configs/log-forwarders-domain-redirection/disable'),
      },
    ],
    empty: 'Nothing is set.',
  },
  {
    ...{
      name: 'signing-key',
      title: 'Signing key of tokens',
      noun: 'signing key',
      next,
      only: 'Signing key of tokens',
    },
    about: 'The key that signs the tokens of users and clients. Others verify tokens with its public part.',
    ...{ path: '/v1/auth/auth-key', item: '/v1/auth/auth-key' },
    columns: [
      ['kid', 'Key id'],
      ['alg', 'Algorithm'],
      ['createdAt', 'Made'],
    ],
    filters: [],
    actions: [
      {
        ...{ name: 'rotate', title: 'Rotate', done: 'Tokens are signed with a new key.', isDangerous: true },
        about: 'Signs new tokens with a new key. Programs that keep the former public key refuse new tokens.',
        ends: { nameOf: ({ kid }) => String(kid) },
        applies: () => true,
        call: () => callTo('post', '/v1/auth/rotate-auth-key'),
      },
    ],
    empty: 'There is no signing key.',
  },
  {
    ...{ name: 'about', title: 'About', noun: 'service', next, only: 'About' },
    about: 'The name and version of this service.',
    ...{ path: '/v1/system/info', item: '/v1/system/info' },
    columns: [
      ['version', 'Version'],
      ['model', 'Model'],
    ],
    filters: [],
    actions: [],
    empty: 'Nothing is known.',
  },
  {
    ...{ name: 'health', title: 'Parts of the service', noun: 'part', next, only: 'Parts of the service' },
    about: 'Whether each part of the service answers.',
    ...{ path: '/v1/system/services/status', item: '/v1/system/services/status' },
    columns: [['status', 'State']],
    filters: [],
    actions: [],
    empty: 'Nothing is known.',
  },
]
