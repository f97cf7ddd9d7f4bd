import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import { whole, type ConnectionRow } from '../../connections/row.ts'
import { described } from '../../forms/fields.ts'
import { firstOf, keymgr } from '../../service.ts'
import { createCloudBConnection } from './described.ts'

const PAGE_VAULTS = 100

const vaultsOf = (connection: string, subscription_id: string, signal: AbortSignal) =>
  whole(async (nextLink) => {
    const body = { connection, subscription_id, limit: PAGE_VAULTS, ...(nextLink !== undefined && { nextLink }) }
    const { vaults: items, nextLink: next } = await keymgr.post('/v1/keymgr/cloud-b/get-vaults', { body, signal })
    return { items, next }
  })

export const CONNECTION: ConnectionRow = {
  service: 'cloud-b',
  name: 'cloud-b',
  title: 'Cloud-b',
  about: 'Keys in the vaults of a subscription.',
  fields: described(createCloudBConnection, [
    { name: 'tenant_id', label: 'Tenant id' },
    { name: 'client_id', label: 'Client id', hint: 'The id of the application.' },
  ]),
  ways: [
    {
      title: 'Secret',
      isOf: (connection) => !('is_certificate_used' in connection && connection.is_certificate_used),
      fields: described(createCloudBConnection, [{ name: 'client_secret', label: 'Secret', isRequired: true }]),
    },
    {
      title: 'Certificate made here',
      adds: { is_certificate_used: true },
      isMadeHere: true,
      fields: described(createCloudBConnection, [
        {
          ...{ name: 'cert_duration', label: 'Valid for (days)', min: 1 },
          hint: 'The page of the connection shows the certificate. Upload it to the application, then test.',
        },
      ]),
    },
  ],
  rest: described(createCloudBConnection, [{ name: 'cloud_name', label: 'Edition' }]),
  help: [
    {
      title: 'What cloud-b must allow',
      steps: [
        'Register an application. Its page shows both ids.',
        'Make a client secret for it, or choose a certificate.',
        'Give it the role Reader on the subscription, and the role Key Vault Crypto Officer on its vaults. To read keys, Key Vault Reader is enough.',
      ],
    },
  ],
  faults: [
    {
      matches: /AADSTS7000215|invalid_client|secret/i,
      step: 'log_in',
      next: ['Enter the value of the secret, not its id.', 'Or make a new secret: the old one may have expired.'],
    },
    { matches: /AADSTS90002|tenant/i, step: 'log_in', next: ['Check the tenant id, and the edition of the cloud.'] },
    { matches: /AADSTS700016|application/i, step: 'log_in', next: ['Check the client id of the application.'] },
    {
      matches: /AuthorizationFailed|Forbidden/i,
      step: 'permission',
      next: ['Give the application the role Reader on the subscription.'],
    },
  ],
  finding: {
    noun: 'vault',
    nothing: 'The application sees nothing here. Give it the role Reader on a subscription, then ask again.',
    find: async (connection, [subscription], signal) => {
      if (subscription === undefined) {
        const { subscriptions } = await keymgr.post('/v1/keymgr/cloud-b/get-subscriptions', {
          body: { connection },
          signal,
        })
        return subscriptions.map(({ subscription_id: id, display_name }) => ({ id, title: display_name, opens: true }))
      }
      const { resources } = await firstOf('/v1/keymgr/cloud-b/vaults', { subscription_id: subscription }, signal)
      const known = new Set(resources.map(({ name }) => name))
      return (await vaultsOf(connection, subscription, signal)).map(({ name: id, location: detail }) => ({
        ...{ id, title: id, detail, isAdded: known.has(id) },
      }))
    },
    add: (connection, ticked) =>
      [...Map.groupBy(ticked, ({ path }) => path[0])].map(([subscription_id, vaults]) =>
        callTo('post', '/v1/keymgr/cloud-b/add-vaults', {
          body: { connection, subscription_id, vaults: vaults.map(({ id: name }) => ({ name })) },
        }),
      ),
    namesIn: (answer) => (answer as AnswerOf<'post', '/v1/keymgr/cloud-b/add-vaults'>).vaults.map(({ name }) => name),
  },
}
