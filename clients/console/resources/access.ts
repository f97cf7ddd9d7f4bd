/** Resources that decide who may log in and what they may do. */
import { callTo } from '../calls.ts'
import { described } from '../forms/fields.ts'
import { HOME } from '../home.ts'
import {
  createDomain,
  createLogInConnection,
  createPasswordPolicy,
  createPolicy,
  createPolicyAttachment,
} from './described.ts'
import { byName, change, deletion, type ResourceRow } from './row.ts'

const isStrategy =
  (strategy: string) =>
  ({ strategy: chosen }: Readonly<Record<string, string>>): boolean =>
    chosen === strategy

const RULE = described(createPasswordPolicy, [
  { name: 'inclusive_min_total_length', label: 'Shortest length' },
  { name: 'inclusive_min_upper_case', label: 'Upper-case letters' },
  { name: 'inclusive_min_lower_case', label: 'Lower-case letters' },
  { name: 'inclusive_min_digits', label: 'Digits' },
  { name: 'inclusive_min_other', label: 'Other characters' },
  { name: 'password_history_threshold', label: 'Former passwords that are refused' },
  { name: 'password_lifetime', label: 'Lifetime (days)' },
])

export const ACCESS: readonly ResourceRow[] = [
  {
    ...{ name: 'providers', title: 'Log-in connections', noun: 'log-in connection' },
    about: 'Directories and identity providers by which people log in.',
    path: '/v1/usermgmt/connections',
    item: '/v1/usermgmt/connections/{id}',
    columns: [
      ['strategy', 'Kind'],
      ['enabled', 'Enabled'],
      ['users_count', 'Users'],
      ['last_connection_at', 'Tested'],
    ],
    filters: [byName(), { name: 'strategy', label: 'Kind', values: ['ldap', 'oidc'], isFirst: true }],
    add: {
      title: 'Add a log-in connection',
      path: '/v1/usermgmt/connections',
      fields: described(createLogInConnection, [
        { name: 'name', label: 'Name' },
        { name: 'strategy', label: 'Kind', initial: 'oidc' },
        { name: 'oidc/issuer', label: 'Issuer', isRequired: true, when: isStrategy('oidc') },
        { name: 'oidc/client_id', label: 'Client id', isRequired: true, when: isStrategy('oidc') },
        { name: 'oidc/client_secret', label: 'Client secret', kind: 'secret', when: isStrategy('oidc') },
        { name: 'ldap/url', label: 'Address', isRequired: true, when: isStrategy('ldap') },
        { name: 'ldap/base_dn', label: 'Base DN', isRequired: true, when: isStrategy('ldap') },
        { name: 'ldap/bind_dn', label: 'Bind DN', when: isStrategy('ldap') },
        { name: 'ldap/bind_password', label: 'Bind password', kind: 'secret', when: isStrategy('ldap') },
        { name: 'create_users', label: 'Users are made at their first log-in' },
      ]),
    },
    actions: [
      {
        ...{ name: 'test', title: 'Test', done: 'The test is over: its result is on this page.' },
        about: 'Asks the directory or the identity provider now.',
        applies: () => true,
        call: ({ id }) => callTo('post', '/v1/usermgmt/connections/{id}/test', { path: { id: String(id) }, body: {} }),
      },
      change('/v1/usermgmt/connections/{id}', 'log-in connection', [
        { name: 'enabled', label: 'Enabled', kind: 'flag' },
        { name: 'create_users', label: 'Users are made at their first log-in', kind: 'flag' },
      ]),
      deletion('/v1/usermgmt/connections/{id}', 'log-in connection'),
    ],
    empty: 'People log in with passwords of this service only.',
  },
  {
    ...{ name: 'passwords', title: 'Password policies', noun: 'password policy' },
    about: 'Rules for the passwords of users.',
    path: '/v1/usermgmt/pwdpolicies',
    item: '/v1/usermgmt/pwdpolicies/{policy_name}',
    ...{ idBy: 'policy_name', nameBy: 'policy_name' },
    columns: [
      ['inclusive_min_total_length', 'Shortest length'],
      ['password_lifetime', 'Lifetime (days)'],
    ],
    filters: [],
    add: {
      title: 'Add a password policy',
      path: '/v1/usermgmt/pwdpolicies',
      fields: [...described(createPasswordPolicy, [{ name: 'policy_name', label: 'Name' }]), ...RULE],
    },
    actions: [
      change('/v1/usermgmt/pwdpolicies/{policy_name}', 'password policy', RULE, { idBy: 'policy_name' }),
      deletion('/v1/usermgmt/pwdpolicies/{policy_name}', 'password policy', {
        ...{ idBy: 'policy_name', nameBy: 'policy_name' },
      }),
    ],
    empty: 'There is no password policy.',
  },
  {
    ...{ name: 'policies', title: 'Policies', noun: 'policy' },
    about: 'Actions that are allowed or denied on resources. An attachment gives a policy to users or groups.',
    path: '/v1/admin/policies',
    item: '/v1/admin/policies/{id}',
    columns: [
      ['effect', 'Effect'],
      ['actions', 'Actions'],
      ['resources', 'Resources'],
    ],
    filters: [byName()],
    add: {
      title: 'Add a policy',
      path: '/v1/admin/policies',
      fields: described(createPolicy, [
        { name: 'name', label: 'Name' },
        { name: 'effect', label: 'Effect' },
        { name: 'actions', label: 'Actions', hint: 'One on each line.' },
        { name: 'resources', label: 'Resources', hint: 'URIs, one on each line; * stands for any characters.' },
      ]),
    },
    actions: [
      deletion('/v1/admin/policies/{id}', 'policy', {
        referring: [
          {
            ...{ kind: 'policy attachment', path: '/v1/admin/policy-attachments', filter: 'policy', nameBy: 'policy' },
            effect: 'give it to users or groups',
          },
        ],
      }),
    ],
    empty: 'Only the policies of the groups of this service apply.',
  },
  {
    ...{ name: 'attachments', title: 'Policy attachments', noun: 'policy attachment' },
    about: 'Who has which policy.',
    path: '/v1/admin/policy-attachments',
    item: '/v1/admin/policy-attachments/{id}',
    nameBy: 'policy',
    columns: [
      ['principalSelector', 'Users or groups'],
      ['jurisdiction', 'Domain'],
    ],
    filters: [byName('policy', 'Policy')],
    add: {
      title: 'Attach a policy',
      path: '/v1/admin/policy-attachments',
      fields: described(createPolicyAttachment, [
        { name: 'policy', label: 'Policy', hint: 'Its name or id.' },
        { name: 'principalSelector/groups', label: 'Groups', hint: 'One on each line.' },
        { name: 'principalSelector/user_id', label: 'User id' },
        { name: 'principalSelector/client_id', label: 'Client id' },
      ]),
    },
    actions: [deletion('/v1/admin/policy-attachments/{id}', 'policy attachment', { nameBy: 'policy' })],
    empty: 'No policy is attached.',
  },
  {
    ...{ name: 'domains', title: 'Domains', noun: 'domain' },
    about: 'Separate customers or departments, each with its own keys and users.',
    path: '/v1/domains',
    item: '/v1/domains/{id}',
    columns: [
      ['admins', 'Administrators'],
      ['allow_user_management', 'Own users'],
      ['createdAt', 'Created'],
    ],
    filters: [byName()],
    add: {
      title: 'Add a domain',
      path: '/v1/domains',
      fields: described(createDomain, [
        { name: 'name', label: 'Name' },
        { name: 'admins', label: 'Administrators', hint: 'Ids of users, one on each line.' },
        { name: 'allow_user_management', label: 'It has users of its own' },
      ]),
    },
    actions: [
      change('/v1/domains/{id}', 'domain', [
        { name: 'name', label: 'Name', isRequired: true },
        { name: 'allow_user_management', label: 'It has users of its own', kind: 'flag' },
      ]),
      {
        ...{ name: 'rotate-key', title: 'Rotate its key', done: 'The domain has a new key.' },
        about:
          'Makes a new key for the domain. Everything that the former one seals is sealed again in the background.',
        applies: () => true,
        call: ({ id }) => callTo('post', '/v1/domains/{id}/rotate-kek', { path: { id: String(id) } }),
      },
      {
        ...{ name: 'retry-key', title: 'Retry its rotation', done: 'The rotation goes on.' },
        about: 'Goes on with a rotation that failed, if one did.',
        applies: () => true,
        call: ({ id }) => callTo('post', '/v1/domains/{id}/retry-kek-rotation', { path: { id: String(id) } }),
      },
      deletion('/v1/domains/{id}', 'domain', { about: 'Deletes the domain with everything in it. Its keys are lost.' }),
    ],
    below: [
      {
        title: 'Keys of the domain',
        path: '/v1/domains/{id}/keks',
        columns: [
          ['version', 'Version'],
          ['state', 'State'],
          ['createdAt', 'Created'],
        ],
        empty: 'The domain has no key yet.',
      },
    ],
    empty: 'There is only this domain.',
  },
  {
    ...{ name: 'sessions', title: 'Refresh tokens', noun: 'refresh token' },
    about: 'Tokens by which users and programs stay logged in.',
    path: '/v1/auth/tokens',
    columns: [
      ['user_id', 'User'],
      ['createdAt', 'Created'],
      ['expires_at', 'Expires'],
    ],
    filters: [
      { name: 'user_id', label: 'User id', values: 'text', isFirst: true },
      { name: 'expired', label: 'Expired', values: 'flag', isFirst: true },
    ],
    actions: [],
    empty: 'There is no refresh token.',
    next: { title: 'See the users', at: `${HOME}users` },
  },
]
