import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import type { ConnectionRow } from '../../connections/row.ts'
import { described } from '../../forms/fields.ts'
import { firstOf, keymgr } from '../../service.ts'
import { counted } from '../../words/numbers.ts'
import { createCloudAConnection } from './described.ts'

const READING = ['kms:ListKeys', 'kms:ListAliases', 'kms:DescribeKey', 'kms:GetKeyPolicy']
const WRITING = ['kms:CreateKey', 'kms:ImportKeyMaterial', 'kms:EnableKey', 'kms:DisableKey', 'kms:ScheduleKeyDeletion']
const POLICY = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: [...READING, ...WRITING], Resource: '*' }],
}

export const CONNECTION: ConnectionRow = {
  service: 'cloud-a',
  name: 'cloud-a',
  title: 'Cloud-a',
  about: 'Keys of an account, by region.',
  fields: [],
  ways: [
    {
      title: 'Access key',
      isOf: ({ service, ...rest }) => service === 'cloud-a' && 'access_key_id' in rest,
      fields: described(createCloudAConnection, [
        { name: 'access_key_id', label: 'Access key id', isRequired: true },
        { name: 'secret_access_key', label: 'Secret access key', isRequired: true },
      ]),
    },
    {
      title: 'Certificate',
      adds: { is_role_anywhere: true },
      isOf: (connection) => 'is_role_anywhere' in connection,
      fields: described(createCloudAConnection, [
        { name: 'role_anywhere/anywhere_role_arn', label: 'Role', isRequired: true, hint: 'Its ARN.' },
        { name: 'role_anywhere/profile_arn', label: 'Profile', isRequired: true, hint: 'Its ARN.' },
        { name: 'role_anywhere/trust_anchor_arn', label: 'Trust anchor', isRequired: true, hint: 'Its ARN.' },
        { name: 'role_anywhere/certificate', label: 'Certificate', kind: 'area', isRequired: true, hint: 'PEM.' },
        {
          ...{ name: 'role_anywhere/private_key', label: 'Private key', kind: 'file' },
          hint: 'PEM, not encrypted. Leave it empty for a certificate that was requested here.',
        },
      ]),
    },
    { title: 'Role of this service', fields: [] },
  ],
  rest: described(createCloudAConnection, [
    {
      ...{ name: 'assume_role_arn', label: 'Role to assume' },
      hint: 'Its ARN. Needed where the keys are in another account than the credentials.',
    },
    {
      name: 'assume_role_external_id',
      label: 'External id',
      when: ({ assume_role_arn = '' }) => assume_role_arn !== '',
    },
    { name: 'cloud_name', label: 'Edition' },
    { name: 'sts_regional_endpoints', label: 'Endpoints of the token service' },
    {
      ...{ name: 'region', label: 'Region', isRequired: true },
      when: ({ sts_regional_endpoints: endpoints }) => endpoints === 'regional',
    },
  ]),
  help: [
    {
      title: 'What cloud-a must allow',
      steps: [
        'Make a user or a role for this service.',
        'Attach this policy to it. To read keys, its first four actions are enough.',
      ],
      copy: JSON.stringify(POLICY, undefined, 2),
    },
  ],
  faults: [
    {
      matches: /AssumeRole/,
      step: 'log_in',
      next: [
        'Check the role to assume and its external id.',
        'The trust policy of the role must name the user of the access key.',
      ],
    },
    {
      matches: /AccessDenied|not authorized/i,
      step: 'permission',
      next: ['Attach the policy beside this form to the user or the role.'],
    },
    {
      matches: /InvalidClientTokenId|security token/i,
      step: 'log_in',
      next: [
        'Check the access key id, and the edition of the cloud.',
        'Or make a new access key and enter both parts.',
      ],
    },
  ],
  finding: {
    noun: 'region',
    nothing: 'This account has no region that is switched on.',
    find: async (connection, [account], signal) => {
      const { account_id, regions } = await keymgr.post('/v1/keymgr/cloud-a/accounts', { body: { connection }, signal })
      if (account === undefined)
        return [
          { id: account_id, title: `Account ${account_id}`, detail: counted(regions.length, 'region'), opens: true },
        ]
      const { resources } = await firstOf('/v1/keymgr/cloud-a/kms', { account_id }, signal)
      const known = new Set(resources.flatMap((kms) => kms.regions))
      return regions.map((id) => ({ id, title: id, isAdded: known.has(id) }))
    },
    fields: [{ name: 'name', label: 'Name of the account here', isRequired: true }],
    add: (connection, ticked, { name }) => [
      callTo('post', '/v1/keymgr/cloud-a/kms', {
        body: { name, connection, account_id: ticked[0]?.path[0], regions: ticked.map(({ id }) => id) },
      }),
    ],
    namesIn: (answer) => [(answer as AnswerOf<'post', '/v1/keymgr/cloud-a/kms'>).name],
  },
}
