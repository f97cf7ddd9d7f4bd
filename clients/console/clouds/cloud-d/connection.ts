import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import type { ConnectionRow, Found } from '../../connections/row.ts'
import { described } from '../../forms/fields.ts'
import { firstOf, keymgr } from '../../service.ts'
import { createCloudDConnection } from './described.ts'

const MOST = 1000

/** The vaults of a region, in all compartments that the user may look into. */
async function vaultsOf(connection: string, region: string, signal: AbortSignal): Promise<readonly Found[]> {
  const body = { connection, limit: MOST }
  const { compartments } = await keymgr.post('/v1/keymgr/cloud-d/get-compartments', { body, signal })
  const { resources } = await firstOf('/v1/keymgr/cloud-d/vaults', { region }, signal)
  const known = new Set(resources.map(({ vault_id }) => vault_id))
  const found = await Promise.all(
    compartments.map(async ({ compartment_id, name: detail }) => {
      const { vaults } = await keymgr
        .post('/v1/keymgr/cloud-d/get-vaults', { body: { ...body, region, compartment_id }, signal })
        .catch(() => ({ vaults: [] })) // a compartment that the user may not look into
      return vaults.map(({ vault_id: id, display_name: title }) => ({ id, title, detail, isAdded: known.has(id) }))
    }),
  )
  return found.flat()
}

export const CONNECTION: ConnectionRow = {
  service: 'cloud-d',
  name: 'cloud-d',
  title: 'Cloud-d',
  about: 'Keys in the vaults of a tenancy.',
  fields: described(createCloudDConnection, [
    { name: 'tenancy_id', label: 'Tenancy id' },
    { name: 'cloud_user_id', label: 'User id' },
    { name: 'region', label: 'Region', hint: 'The home region, such as eu-frankfurt-1.' },
  ]),
  ways: [
    {
      title: 'API key',
      fields: described(createCloudDConnection, [
        { name: 'fingerprint', label: 'Fingerprint', hint: 'The cloud shows it after the upload of the public part.' },
        { name: 'credentials/key_file', label: 'Key file', kind: 'file', isRequired: true, hint: 'PEM.' },
        { name: 'credentials/pass_phrase', label: 'Pass phrase', hint: 'Of a protected key file.' },
      ]),
    },
  ],
  rest: [],
  help: [
    {
      title: 'What cloud-d must allow',
      steps: [
        'Make a user for this service, in a group that may manage the vaults and keys of the compartments.',
        'Add an API key to the user and download its private part.',
        'The cloud shows the fingerprint and the ids beside the key.',
      ],
    },
  ],
  faults: [
    {
      matches: /NotAuthenticated/i,
      step: 'log_in',
      next: ['Check that the fingerprint is that of this key file.', 'The user must have this API key.'],
    },
    {
      matches: /NotAuthorized/i,
      step: 'permission',
      next: ['Let the group of the user manage vaults and keys in the compartments.'],
    },
  ],
  finding: {
    noun: 'vault',
    nothing: 'No vault is in the compartments that this user sees.',
    find: async (connection, [region], signal) => {
      if (region !== undefined) return vaultsOf(connection, region, signal)
      const { regions } = await keymgr.post('/v1/keymgr/cloud-d/get-subscribed-regions', {
        body: { connection },
        signal,
      })
      return regions.map(({ name: id }) => ({ id, title: id, opens: true }))
    },
    add: (connection, ticked) =>
      [...Map.groupBy(ticked, ({ path }) => path[0])].map(([region, vaults]) =>
        callTo('post', '/v1/keymgr/cloud-d/add-vaults', {
          body: { connection, region, vault_id: vaults.map(({ id }) => id) },
        }),
      ),
    namesIn: (answer) => (answer as AnswerOf<'post', '/v1/keymgr/cloud-d/add-vaults'>).vaults.map(({ name }) => name),
  },
}
