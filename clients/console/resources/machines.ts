/** Resources of clients and the authorities that certify them. */
import { callTo } from '../calls.ts'
import { pemFile } from '../clouds/files.ts'
import { described } from '../forms/fields.ts'
import {
  createClientProfile,
  createExternalCa,
  createLocalCa,
  createRegistrationToken,
  registerClient,
} from './described.ts'
import { byName, change, deletion, type ResourceRow } from './row.ts'

const CA_COLUMNS: ResourceRow['columns'] = [
  ['state', 'State'],
  ['subject', 'Subject'],
  ['notAfter', 'Ends'],
]
const STATE = { name: 'state', label: 'State', isFirst: true } as const

const CLIENTS = { kind: 'client', path: '/v1/client-management/clients' } as const
const TOKENS = { kind: 'registration token', path: '/v1/client-management/regtokens', nameBy: 'label' } as const

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
      deletion('/v1/ca/local-cas/{id}', 'authority', {
        about: 'Deletes the authority with its key. Certificates that it issued can no longer be revoked.',
        referring: [
          { ...CLIENTS, filter: 'ca_id', effect: 'have its certificates and cannot renew them' },
          { kind: 'client profile', path: '/v1/client-management/profiles', filter: 'ca_id', effect: 'name it' },
        ],
      }),
    ],
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
