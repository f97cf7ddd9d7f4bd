/** Resources of clients and the authorities that certify them. */
import { callTo } from '../calls.ts'
import { pemFile } from '../clouds/files.ts'
import { described } from '../forms/fields.ts'
import {
  createClientProfile,
  createExternalCa,
  createLocalCa,
  createRegistrationToken,
  installLocalCa,
  issueCertificate,
  registerClient,
  revokeCertificate,
  selfSignLocalCa,
} from './described.ts'
import { byName, change, deletion, type BelowRow, type Part, type ResourceRow } from './row.ts'

const CA_COLUMNS: ResourceRow['columns'] = [
  ['state', 'State'],
  ['subject', 'Subject'],
  ['notAfter', 'Ends'],
]
const STATE = { name: 'state', label: 'State', isFirst: true } as const

const CLIENTS = { kind: 'client', path: '/v1/client-management/clients' } as const
const TOKENS = { kind: 'registration token', path: '/v1/client-management/regtokens', nameBy: 'label' } as const

const ISSUED = '/v1/ca/local-cas/{caid}/certs/{id}'
const pathOf = ({ of: caid, record: { id } }: Part) => ({ caid, id: String(id) })
const isIn =
  (...states: readonly string[]) =>
  ({ record: { state } }: Part): boolean =>
    states.includes(String(state))

/** Certificates that an authority issued. */
const CERTIFICATES: BelowRow = {
  title: 'Certificates',
  ...{ path: '/v1/ca/local-cas/{caid}/certs', by: 'caid' },
  columns: [
    ['subject', 'Subject'],
    ['purpose', 'Purpose'],
    ['state', 'State'],
    ['notAfter', 'Ends'],
    ['serialNumber', 'Serial number'],
  ],
  add: {
    ...{ title: 'Issue a certificate', about: 'Signs a request for a certificate.' },
    fields: described(issueCertificate, [
      { name: 'name', label: 'Name' },
      { name: 'csr', label: 'Certificate request', kind: 'request', hint: 'PEM. Or make the key here.' },
      { name: 'purpose', label: 'Purpose', initial: 'server' },
      { name: 'duration', label: 'Valid for (days)', min: 1 },
    ]),
    ...{ path: '/v1/ca/local-cas/{caid}/certs', done: 'The certificate is issued.' },
  },
  actions: [
    {
      ...{ name: 'save', title: 'Save', submit: 'Save', done: 'The certificate is saved.' },
      about: 'Saves the certificate, in PEM.',
      applies: () => true,
      call: (part) => callTo('get', ISSUED, { path: pathOf(part) }),
      saves: ({ record: { name, id, cert } }) => pemFile(String(name ?? id), String(cert)),
    },
    {
      ...{ name: 'revoke', title: 'Revoke', done: 'The certificate is revoked.', isDangerous: true },
      about: 'Whoever asks for the state of the certificate refuses it from then on. A hold alone can be lifted.',
      fields: described(revokeCertificate, [{ name: 'reason', label: 'Reason', initial: 'unspecified' }]),
      applies: isIn('active', 'hold'),
      call: (part, body) => callTo('post', `${ISSUED}/revoke`, { path: pathOf(part), body }),
    },
    {
      ...{ name: 'resume', title: 'Resume', done: 'The certificate is valid again.' },
      about: 'Lifts the hold.',
      applies: isIn('hold'),
      call: (part) => callTo('post', `${ISSUED}/resume`, { path: pathOf(part) }),
    },
    {
      ...{ name: 'delete', title: 'Delete', done: 'The record of the certificate is deleted.', isDangerous: true },
      about: 'Removes the record of the certificate. It can no longer be revoked.',
      ends: { nameOf: ({ record: { serialNumber } }) => String(serialNumber) },
      applies: () => true,
      call: (part) => callTo('delete', ISSUED, { path: pathOf(part) }),
    },
  ],
  empty: 'No certificate is issued yet.',
}

const AUTHORITY = '/v1/ca/local-cas/{id}'

export const MACHINES: readonly ResourceRow[] = [
  {
    ...{ name: 'clients', title: 'Clients', noun: 'client' },
    about: 'Machines that log in with a certificate.',
    path: '/v1/client-management/clients',
    item: '/v1/client-management/clients/{id}',
    columns: [
      ['state', 'State'],
      ['not_after', 'Certificate ends'],
      ['last_login', 'Last log-in'],
    ],
    filters: [byName('client_name'), { ...STATE, values: ['active', 'revoked', 'expired'] }],
    add: {
      title: 'Register a client',
      path: '/v1/client-management/clients',
      fields: described(registerClient, [
        { name: 'registration_token', label: 'Registration token', kind: 'secret', isRequired: true },
        { name: 'name', label: 'Name' },
        {
          ...{ name: 'csr', label: 'Certificate request', kind: 'request' },
          hint: 'PEM of a request that the machine made. Or make the key here, and take its file to the machine.',
        },
        { name: 'client_type', label: 'Kind of machine' },
      ]),
    },
    actions: [
      {
        ...{ name: 'certificate', title: 'Certificate', submit: 'Save', done: 'The certificate is saved.' },
        about: 'Saves the certificate of the client, in PEM. The machine logs in with it and its private key.',
        applies: ({ cert }) => typeof cert === 'string',
        call: ({ id }) => callTo('get', '/v1/client-management/clients/{id}', { path: { id: String(id) } }),
        saves: ({ name, cert }) => pemFile(String(name), String(cert)),
      },
      deletion('/v1/client-management/clients/{id}', 'client', { about: 'The machine cannot log in from then on.' }),
    ],
    empty: 'No machine is registered. With a registration token, a machine registers itself.',
  },
  {
    ...{ name: 'tokens', title: 'Registration tokens', noun: 'registration token' },
    about: 'With a registration token, a machine registers itself as a client.',
    path: '/v1/client-management/regtokens',
    item: '/v1/client-management/regtokens/{id}',
    nameBy: 'label',
    columns: [
      ['name_prefix', 'Names begin with'],
      ['clients_registered', 'Clients'],
      ['max_clients', 'At most'],
      ['expires_at', 'Expires'],
    ],
    filters: [byName('label', 'Label')],
    add: {
      title: 'Make a registration token',
      path: '/v1/client-management/regtokens',
      fields: described(createRegistrationToken, [
        { name: 'label', label: 'Label' },
        { name: 'name_prefix', label: 'Names of clients begin with' },
        { name: 'max_clients', label: 'Clients at most', min: 1 },
        { name: 'lifetime', label: 'Lifetime', hint: 'Such as 7d or 12h.' },
        { name: 'cert_duration', label: 'Certificates are valid for (days)', min: 1 },
        { name: 'ca_id', label: 'Id of the authority' },
        { name: 'client_management_profile_id', label: 'Id of the profile' },
      ]),
    },
    actions: [
      deletion('/v1/client-management/regtokens/{id}', 'registration token', {
        ...{ nameBy: 'label', about: 'No machine can register with it any more. Registered clients stay.' },
      }),
    ],
    empty: 'There is no registration token.',
  },
  {
    ...{ name: 'profiles', title: 'Client profiles', noun: 'client profile' },
    about: 'Groups and certificates of the clients that register with a token.',
    path: '/v1/client-management/profiles',
    item: '/v1/client-management/profiles/{id}',
    columns: [
      ['groups', 'Groups'],
      ['cert_duration', 'Valid for (days)'],
    ],
    filters: [byName()],
    add: {
      title: 'Add a client profile',
      path: '/v1/client-management/profiles',
      fields: described(createClientProfile, [
        { name: 'name', label: 'Name' },
        { name: 'groups', label: 'Groups', hint: 'One on each line.' },
        { name: 'cert_duration', label: 'Certificates are valid for (days)', min: 1 },
        { name: 'ca_id', label: 'Id of the authority' },
      ]),
    },
    actions: [
      deletion('/v1/client-management/profiles/{id}', 'client profile', {
        referring: [
          { ...TOKENS, filter: 'client_management_profile_id', effect: 'register no machine without it' },
          { ...CLIENTS, filter: 'client_mgmt_profile_id', effect: 'stay registered' },
        ],
      }),
    ],
    empty: 'There is no client profile.',
  },
  {
    ...{ name: 'authorities', title: 'Authorities', noun: 'authority' },
    about: 'Certificate authorities whose keys are in this service.',
    path: '/v1/ca/local-cas',
    item: '/v1/ca/local-cas/{id}',
    columns: CA_COLUMNS,
    filters: [byName(), { ...STATE, values: ['pending', 'active', 'expired'] }],
    add: {
      title: 'Create an authority',
      path: '/v1/ca/local-cas',
      fields: described(createLocalCa, [
        { name: 'name', label: 'Name' },
        { name: 'cn', label: 'Common name' },
        { name: 'algorithm', label: 'Algorithm' },
        { name: 'size', label: 'Size (bits)' },
      ]),
    },
    actions: [
      {
        ...{ name: 'self-sign', title: 'Sign it by itself', submit: 'Sign', done: 'The authority is active.' },
        about: 'Makes it a root: its own key signs its certificate.',
        fields: described(selfSignLocalCa, [{ name: 'duration', label: 'Valid for (days)', min: 1 }]),
        applies: ({ state }) => state === 'pending',
        call: ({ id }, body) => callTo('post', `${AUTHORITY}/self-sign`, { path: { id: String(id) }, body }),
      },
      {
        ...{ name: 'install', title: 'Install its certificate', submit: 'Install', done: 'The authority is active.' },
        about: 'Takes the certificate that another authority made of its request, which stands on this page.',
        fields: described(installLocalCa, [
          { name: 'cert', label: 'Certificate', kind: 'area', hint: 'PEM.' },
          { name: 'parent_id', label: 'Id of the authority that signed it' },
        ]),
        applies: ({ state }) => state === 'pending',
        call: ({ id }, body) => callTo('post', `${AUTHORITY}/install`, { path: { id: String(id) }, body }),
      },
      {
        ...{ name: 'purposes', title: 'Change what it is for', submit: 'Save', done: 'The authority is changed.' },
        about: 'Says whose certificates of this authority log in.',
        fieldsFor: ({ purpose }) => {
          const now = purpose as { readonly client_authentication?: boolean; readonly user_authentication?: boolean }
          const flag = (name: string, label: string, isOn = false) =>
            ({ name, label, kind: 'flag', isOnByDefault: true, initial: isOn ? 'true' : '' }) as const
          return [
            flag('allow_client_authentication', 'Clients log in', now.client_authentication),
            flag('allow_user_authentication', 'Users log in', now.user_authentication),
          ]
        },
        applies: ({ state }) => state === 'active',
        call: ({ id }, body) => callTo('patch', AUTHORITY, { path: { id: String(id) }, body }),
      },
      {
        ...{ name: 'crl', title: 'Revocation list', submit: 'Save', done: 'The list is saved.' },
        about: 'Saves the list of revoked certificates. Others fetch it at this address without a token.',
        applies: ({ state }) => state === 'active',
        call: ({ id }) => callTo('get', `${AUTHORITY}/crl`, { path: { id: String(id) } }),
        saves: ({ name, id }, answer) => pemFile(`${String(name ?? id)}.crl`, String(answer)),
      },
      deletion('/v1/ca/local-cas/{id}', 'authority', {
        about: 'Deletes the authority with its key. Certificates that it issued can no longer be revoked.',
        referring: [
          { ...CLIENTS, filter: 'ca_id', effect: 'have its certificates and cannot renew them' },
          { kind: 'client profile', path: '/v1/client-management/profiles', filter: 'ca_id', effect: 'name it' },
        ],
      }),
    ],
    below: [CERTIFICATES],
    empty: 'There is no authority. One is needed to register clients by certificate.',
  },
  {
    ...{ name: 'external-authorities', title: 'External authorities', noun: 'external authority' },
    about: 'Certificate authorities of others that this service trusts.',
    path: '/v1/ca/external-cas',
    item: '/v1/ca/external-cas/{id}',
    columns: CA_COLUMNS,
    filters: [byName(), { ...STATE, values: ['active', 'expired'] }],
    add: {
      title: 'Add an external authority',
      path: '/v1/ca/external-cas',
      fields: described(createExternalCa, [
        { name: 'name', label: 'Name' },
        { name: 'cert', label: 'Certificate', kind: 'area', hint: 'PEM.' },
      ]),
    },
    actions: [
      change('/v1/ca/external-cas/{id}', 'external authority', [{ name: 'name', label: 'Name' }]),
      deletion('/v1/ca/external-cas/{id}', 'external authority', {
        about: 'Certificates of this authority are no longer trusted.',
      }),
    ],
    empty: 'No authority of others is trusted.',
  },
]
