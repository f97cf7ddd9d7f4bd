import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import type { ConnectionRow } from '../../connections/row.ts'
import { described } from '../../forms/fields.ts'
import { firstOf, keymgr } from '../../service.ts'
import { createDatacustConnection } from './described.ts'

export const CONNECTION: ConnectionRow = {
  service: 'datacust',
  name: 'datacust',
  title: 'Datacust',
  about: 'Keys in the groups of a data-custodian platform.',
  fields: described(createDatacustConnection, [
    { name: 'api_endpoint', label: 'Address', hint: 'Of the key service; it ends in /kms/v2.' },
  ]),
  ways: [
    {
      title: 'Technical user',
      isMadeHere: true, // saving the connection activates the user, so it cannot be tested before
      isOf: (connection) => 'technical_user_credentials' in connection,
      fields: described(createDatacustConnection, [
        { name: 'technical_user_credentials/api_key', label: 'API key', isRequired: true },
        {
          ...{ name: 'technical_user_credentials/secret', label: 'Secret', kind: 'secret', isRequired: true },
          hint: 'Not activated yet: saving activates it and replaces it.',
        },
      ]),
    },
    {
      title: 'Standard user',
      isOf: (connection) => 'user_credentials' in connection,
      fields: described(createDatacustConnection, [
        { name: 'user_credentials/tenant', label: 'Tenant', isRequired: true },
        { name: 'user_credentials/user', label: 'User', isRequired: true },
        { name: 'user_credentials/secret', label: 'Password', kind: 'secret', isRequired: true },
      ]),
    },
  ],
  rest: [],
  help: [
    {
      title: 'What the platform must allow',
      steps: [
        'Make a technical user for the service: one that is made inside a group sees only this group.',
        'Download its credential. Of its two addresses, the one that ends in /kms/v2 is the right one.',
        'Do not activate the credential: saving the connection does it, once.',
      ],
    },
  ],
  faults: [
    {
      matches: /HTTP 401/i,
      step: 'log_in',
      next: [
        'A technical user that was activated elsewhere has another secret now: make a new one.',
        'Users of an identity service cannot log in with a password: use a technical user.',
      ],
    },
    { matches: /HTTP 403/i, step: 'permission', next: ['Give the user access to the groups.'] },
  ],
  finding: {
    noun: 'group',
    nothing: 'The user sees no group. A technical user that was made inside a group sees only this one.',
    find: async (connection, _path, signal) => {
      const { groups } = await keymgr.post('/v1/keymgr/datacust/get-groups', { body: { connection }, signal })
      const { resources } = await firstOf('/v1/keymgr/datacust/groups', {}, signal)
      const known = new Set(resources.map(({ group_id }) => group_id))
      return groups.map(({ group_id: id, name: title, keystore_provider: detail }) => ({
        ...{ id, title, detail, isAdded: known.has(id) },
      }))
    },
    add: (connection, ticked) => [
      callTo('post', '/v1/keymgr/datacust/add-groups', { body: { connection, group_id: ticked.map(({ id }) => id) } }),
    ],
    namesIn: (answer) => (answer as AnswerOf<'post', '/v1/keymgr/datacust/add-groups'>).groups.map(({ name }) => name),
  },
}
