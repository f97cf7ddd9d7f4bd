/** Secrets, virtual keys and links of the vault. */
import { callTo } from '../calls.ts'
import { described } from '../forms/fields.ts'
import { HOME } from '../home.ts'
import { filtersOf } from '../list/filters.tsx'
import {
  createLocalKeyLink,
  createSecret,
  createSecretVersion,
  createVirtualKey,
  listLocalKeyLinks,
  listSecrets,
  listVirtualKeys,
} from './described.ts'
import { byName, change, deletion, type ResourceRow } from './row.ts'

export const VAULT: readonly ResourceRow[] = [
  {
    ...{ name: 'secrets', title: 'Secrets', noun: 'secret' },
    about: 'Passwords and other secrets that this service keeps.',
    path: '/v1/vault/secrets',
    item: '/v1/vault/secrets/{id}',
    columns: [
      ['state', 'State'],
      ['dataType', 'Kind'],
      ['version', 'Version'],
      ['createdAt', 'Created'],
    ],
    filters: filtersOf(listSecrets, [
      { name: 'name', label: 'Name', isFirst: true },
      { name: 'state', label: 'State', isFirst: true },
      { name: 'dataType', label: 'Kind', isFirst: true },
      { name: 'labels', label: 'Labels' },
    ]),
    add: {
      title: 'Store a secret',
      path: '/v1/vault/secrets',
      fields: described(createSecret, [
        { name: 'name', label: 'Name' },
        { name: 'dataType', label: 'Kind' },
        { name: 'material', label: 'Secret', kind: 'secret' },
        { name: 'description', label: 'Description' },
      ]),
    },
    actions: [
      change('/v1/vault/secrets/{id}', 'secret', [{ name: 'description', label: 'Description' }]),
      {
        ...{ name: 'destroy', title: 'Destroy', done: 'The secret is destroyed; its record stays.' },
        about: 'Removes the secret itself. What is known of it stays.',
        ends: { nameOf: ({ name }) => String(name) },
        applies: ({ state }) => state !== 'Destroyed',
        call: ({ id }) => callTo('post', '/v1/vault/secrets/{id}/destroy', { path: { id: String(id) } }),
      },
      deletion('/v1/vault/secrets/{id}', 'secret', { about: 'Removes the secret and what is known of it.' }),
    ],
    below: [
      {
        title: 'Versions',
        path: '/v1/vault/secrets/{id}/versions',
        columns: [
          ['version', 'Version'],
          ['state', 'State'],
          ['createdAt', 'Created'],
        ],
        add: {
          ...{ title: 'Add a version', about: 'Callers without a version get this one from now on.' },
          fields: described(createSecretVersion, [{ name: 'material', label: 'Secret', kind: 'secret' }]),
          ...{ path: '/v1/vault/secrets/{id}/versions', done: 'The secret has a new version.' },
        },
        empty: 'There is no version.',
      },
    ],
    empty: 'No secret is stored here.',
  },
  {
    ...{ name: 'canary-keys', title: 'Canary keys', noun: 'canary key' },
    about: 'Keys without a legitimate use: any use raises a critical alarm. Only this list shows which they are.',
    path: '/v1/vault/canary-keys',
    columns: [
      ['algorithm', 'Algorithm'],
      ['state', 'State'],
      ['createdAt', 'Created'],
    ],
    filters: [],
    actions: [
      {
        ...{ name: 'unmark', title: 'Make ordinary', done: 'The key is an ordinary one again.' },
        about: 'Uses of the key raise no alarm from now on.',
        applies: () => true,
        call: ({ id }) => callTo('delete', '/v1/vault/keys2/{id}/canary', { path: { id: String(id) } }),
      },
    ],
    empty: 'No key is a canary. The page of a local key makes one.',
    next: { title: 'See the local keys', at: `${HOME}keys/local` },
  },
  {
    ...{ name: 'virtual-keys', title: 'Virtual keys', noun: 'virtual key' },
    about: 'Names under which key stores use local keys.',
    path: '/v1/keymgr/virtual/keys',
    item: '/v1/keymgr/virtual/keys/{id}',
    columns: [
      ['source_key_id', 'Local key'],
      ['version', 'Version'],
      ['deletable', 'Deletable'],
    ],
    filters: filtersOf(listVirtualKeys, [
      { name: 'name', label: 'Name', isFirst: true },
      { name: 'source_key_id', label: 'Id of the local key', isFirst: true },
    ]),
    add: {
      title: 'Add a virtual key',
      path: '/v1/keymgr/virtual/keys',
      fields: described(createVirtualKey, [{ name: 'source_key_id', label: 'Local key', hint: 'Its name or id.' }]),
    },
    actions: [
      change('/v1/keymgr/virtual/keys/{id}', 'virtual key', [{ name: 'deletable', label: 'Deletable', kind: 'flag' }]),
      deletion('/v1/keymgr/virtual/keys/{id}', 'virtual key', {
        about: 'Keys that are made from it fail from then on.',
      }),
    ],
    empty: 'There is no virtual key.',
  },
  {
    ...{ name: 'links', title: 'Links of keys', noun: 'link' },
    about: 'Relations between objects of the vault, such as the certificate of a key.',
    path: '/v1/vault/links',
    item: '/v1/vault/links/{id}',
    nameBy: 'type',
    columns: [
      ['source', 'From'],
      ['target', 'To'],
      ['createdAt', 'Created'],
    ],
    filters: filtersOf(listLocalKeyLinks, [
      { name: 'type', label: 'Kind', isFirst: true },
      { name: 'source', label: 'From', isFirst: true },
      { name: 'target', label: 'To', isFirst: true },
    ]),
    add: {
      title: 'Add a link',
      path: '/v1/vault/links',
      fields: described(createLocalKeyLink, [
        { name: 'type', label: 'Kind' },
        { name: 'source', label: 'From', hint: 'Name or id of a key.' },
        { name: 'target', label: 'To', hint: 'Name or id of another key.' },
      ]),
    },
    actions: [deletion('/v1/vault/links/{id}', 'link', { nameBy: 'type' })],
    empty: 'No key is linked to another.',
  },
  {
    ...{ name: 'key-labels', title: 'Labels of keys', noun: 'label', idBy: 'label', nameBy: 'label' },
    about: 'Labels that local keys have, with the number of keys of each.',
    path: '/v1/vault/key-labels',
    columns: [['count', 'Keys']],
    filters: [byName('label', 'Label')],
    hrefOf: ({ label }) => `keys/local?${new URLSearchParams({ labels: String(label) }).toString()}`,
    actions: [],
    empty: 'No local key has a label.',
    next: { title: 'See the local keys', at: `${HOME}keys/local` },
  },
]
