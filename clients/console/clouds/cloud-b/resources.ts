/** Secrets and certificates of vaults. */
import { HOME } from '../../home.ts'
import { callTo, type Call } from '../../calls.ts'
import { described, type FieldRow } from '../../forms/fields.ts'
import type { Action } from '../../forms/actions.tsx'
import { filtersOf } from '../../list/filters.tsx'
import type { PathOf } from '../../../sdk/calls.ts'
import { deletion, type Resource, type ResourceRow } from '../../resources/row.ts'
import { expiryNotice } from '../notices.ts'
import { vaults } from './containers.ts'
import { createCloudBSecret, listCloudBCertificates, listCloudBSecrets, listCloudBSubscriptions } from './described.ts'

const VAULT: FieldRow = { name: 'key_vault', label: 'Vault', choices: vaults }
const on = (path: PathOf<'post'>, { id }: Resource): Call => callTo('post', path, { path: { id: String(id) } })
const isActive = ({ gone, status }: Resource): boolean => gone !== true && status === 'ACTIVE'

/** Actions on a secret or a certificate of a vault. */
const actionsAt = (at: 'secrets' | 'certificates', noun: string, nameBy: string): readonly Action<Resource>[] => [
  {
    ...{
      name: 'refresh',
      title: 'Refresh',
      done: `The ${noun} is read again.`,
      about: `Reads the ${noun} from its vault.`,
    },
    applies: ({ gone }) => gone !== true,
    call: (of) => on(`/v1/keymgr/cloud-b/${at}/{id}/refresh`, of),
  },
  {
    ...{
      name: 'soft-delete',
      title: 'Delete',
      done: `The ${noun} is deleted; it can be recovered.`,
    },
    about: 'The vault keeps it for a time, in which it can be recovered.',
    applies: isActive,
    call: (of) => on(`/v1/keymgr/cloud-b/${at}/{id}/soft-delete`, of),
  },
  {
    ...{ name: 'recover', title: 'Recover', done: `The ${noun} is recovered.`, about: 'Makes it usable again.' },
    applies: ({ status }) => status === 'SOFT-DELETED',
    call: (of) => on(`/v1/keymgr/cloud-b/${at}/{id}/recover`, of),
  },
  {
    ...{ name: 'purge', title: 'Purge', done: `The ${noun} is purged.` },
    about: 'Removes it from the vault for good.',
    ends: { nameOf: (of) => String(of[nameBy]) },
    applies: ({ status }) => status === 'SOFT-DELETED',
    call: (of) => on(`/v1/keymgr/cloud-b/${at}/{id}/hard-delete`, of),
  },
  {
    ...{ name: 'delete', title: 'Remove', done: 'The record is removed.' },
    about: `Removes the record of a ${noun} that the cloud no longer has.`,
    applies: ({ gone, status }) => gone === true || status === 'DELETED',
    call: ({ id }) => callTo('delete', `/v1/keymgr/cloud-b/${at}/{id}`, { path: { id: String(id) } }),
  },
]

const COLUMNS: ResourceRow['columns'] = [
  ['status', 'State'],
  ['key_vault', 'Vault'],
  ['azure_expire_at', 'Ends'],
  ['syncedAt', 'Read'],
]

export const RESOURCES: readonly ResourceRow[] = [
  {
    ...{ name: 'cloud-b-secrets', title: 'Secrets of cloud-b', noun: 'secret', nameBy: 'secret_name' },
    about: 'Secrets in the vaults of cloud-b.',
    path: '/v1/keymgr/cloud-b/secrets',
    item: '/v1/keymgr/cloud-b/secrets/{id}',
    columns: COLUMNS,
    filters: filtersOf(listCloudBSecrets, [
      { name: 'secret_name', label: 'Name', isFirst: true },
      { name: 'key_vault', label: 'Vault', isFirst: true },
      { name: 'status', label: 'State', isFirst: true },
    ]),
    add: {
      title: 'Add a secret to a vault',
      path: '/v1/keymgr/cloud-b/secrets',
      fields: described(createCloudBSecret, [
        VAULT,
        { name: 'secret_name', label: 'Name' },
        { name: 'cloud_b_param/value', label: 'Secret', kind: 'secret', isRequired: true },
      ]),
    },
    actions: actionsAt('secrets', 'secret', 'secret_name'),
    empty: 'No secret of a vault is known. Synchronize the secrets of a vault, or add one.',
  },
  {
    ...{ name: 'cloud-b-certificates', title: 'Certificates of cloud-b', noun: 'certificate', nameBy: 'cert_name' },
    about: 'Certificates in the vaults of cloud-b.',
    path: '/v1/keymgr/cloud-b/certificates',
    item: '/v1/keymgr/cloud-b/certificates/{id}',
    columns: COLUMNS,
    filters: filtersOf(listCloudBCertificates, [
      { name: 'cert_name', label: 'Name', isFirst: true },
      { name: 'key_vault', label: 'Vault', isFirst: true },
      { name: 'status', label: 'State', isFirst: true },
    ]),
    actions: actionsAt('certificates', 'certificate', 'cert_name'),
    empty: 'No certificate of a vault is known. Synchronize the certificates of a vault.',
    next: { title: 'See the vaults', at: `${HOME}containers/cloud-b` },
  },
  {
    ...{ name: 'cloud-b-subscriptions', title: 'Subscriptions of cloud-b', noun: 'subscription' },
    nameBy: 'display_name',
    about: 'Subscriptions whose vaults were looked for.',
    path: '/v1/keymgr/cloud-b/subscriptions',
    item: '/v1/keymgr/cloud-b/subscriptions/{id}',
    columns: [
      ['subscription_id', 'Subscription id'],
      ['tenant_id', 'Tenant id'],
      ['state', 'State'],
      ['connection', 'Connection'],
    ],
    filters: filtersOf(listCloudBSubscriptions, [
      { name: 'display_name', label: 'Name', isFirst: true },
      { name: 'subscription_id', label: 'Subscription id', isFirst: true },
      { name: 'tenant_id', label: 'Tenant id' },
    ]),
    actions: [
      deletion('/v1/keymgr/cloud-b/subscriptions/{id}', 'subscription', {
        ...{ nameBy: 'display_name', about: 'Removes the record of the subscription. The subscription itself stays.' },
        referring: [
          {
            ...{ kind: 'vault', path: '/v1/keymgr/cloud-b/vaults', filter: 'subscription_id', by: 'subscription_id' },
            effect: 'stay as they are',
          },
        ],
      }),
    ],
    empty: 'No subscription is known. They are found when vaults are added.',
    next: { title: 'Add vaults', at: `${HOME}connections` },
  },
  expiryNotice('cloud-b', '/v1/keymgr/settings/cloud_b_key_expiry_notification'),
]
