/** Crypto spaces, issuers, and the authorities of machines' evidence. */
import { callTo } from '../../calls.ts'
import { described, type Values } from '../../forms/fields.ts'
import { filtersOf } from '../../list/filters.tsx'
import { change, deletion, type ResourceRow } from '../../resources/row.ts'
import { createEkmCryptoSpace, createEkmIssuer, listEkmCryptoSpaces, listEkmIssuers } from './described.ts'

const SPACE = '/v1/keymgr/ekm/cryptospaces/{id}'
const ISSUER = '/v1/keymgr/ekm/issuers/{id}'
const TRUST = '/v1/keymgr/ekm/attestation-trust'

const CLIENTS = 'policy/basic/clients'
const isBasic = ({ [CLIENTS]: clients = '' }: Values): boolean => clients.trim() !== ''
const asksReasons = (values: Values): boolean =>
  isBasic(values) && values['policy/basic/justification_required'] === 'true'
const isOwn = ({ built_in }: Readonly<Record<string, unknown>>): boolean => built_in !== true

export const RESOURCES: readonly ResourceRow[] = [
  {
    ...{ name: 'ekm-cryptospaces', title: 'EKM crypto spaces', noun: 'crypto space' },
    about: 'Spaces in which cloud-c makes and destroys keys by itself. Each key is an EKM endpoint.',
    path: '/v1/keymgr/ekm/cryptospaces',
    item: SPACE,
    columns: [
      ['keyURIHostname', 'Host name'],
      ['endpoint_count', 'Keys'],
      ['blocked', 'Blocked'],
    ],
    filters: filtersOf(listEkmCryptoSpaces, [
      { name: 'name', label: 'Name', isFirst: true },
      { name: 'blocked', label: 'Blocked', isFirst: true },
    ]),
    add: {
      title: 'Add a crypto space',
      path: '/v1/keymgr/ekm/cryptospaces',
      fields: described(createEkmCryptoSpace, [
        { name: 'name', label: 'Name' },
        { name: 'keyURIHostname', label: 'Host name', hint: 'By which cloud-c reaches this service.' },
        {
          ...{ name: CLIENTS, label: 'Callers', isRequired: false },
          hint: 'Addresses of service accounts, one on each line. Without a policy no key is made.',
        },
        { name: 'policy/basic/justification_required', label: 'Callers must give a reason', when: isBasic },
        { name: 'policy/basic/justification_reason', label: 'Reasons', isRequired: true, when: asksReasons },
        { name: 'policy/rego', label: 'Or: policy in Rego', kind: 'area', when: (values) => !isBasic(values) },
        { name: 'enable_success_audit_event', label: 'Successful calls are recorded' },
      ]),
    },
    actions: [
      {
        ...{ name: 'block', title: 'Block', done: 'The crypto space is blocked.' },
        about: 'No key is made in it, and its keys refuse every call, until it is unblocked.',
        applies: ({ blocked }) => blocked === false,
        call: ({ id }) => callTo('post', `${SPACE}/block`, { path: { id: String(id) } }),
      },
      {
        ...{ name: 'unblock', title: 'Unblock', done: 'The crypto space answers again.' },
        about: 'Lets cloud-c make keys in it, and use them, again.',
        applies: ({ blocked }) => blocked === true,
        call: ({ id }) => callTo('post', `${SPACE}/unblock`, { path: { id: String(id) } }),
      },
      change(SPACE, 'crypto space', [
        { name: 'name', label: 'Name', isRequired: true },
        { name: 'enable_success_audit_event', label: 'Successful calls are recorded', kind: 'flag' },
      ]),
      deletion(SPACE, 'crypto space', {
        about: 'Deletes the crypto space. It must have no keys.',
        referring: [
          {
            ...{ kind: 'EKM endpoint', path: '/v1/keymgr/ekm/endpoints', filter: 'cryptospace_id' },
            effect: 'must be destroyed or deleted first',
          },
        ],
      }),
    ],
    empty: 'Cloud-c makes no keys here.',
  },
  {
    ...{ name: 'ekm-issuers', title: 'EKM issuers', noun: 'issuer' },
    about: "Issuers whose tokens EKM endpoints and crypto spaces accept, besides cloud-c's own.",
    path: '/v1/keymgr/ekm/issuers',
    item: ISSUER,
    columns: [
      ['iss', 'Issuer'],
      ['jwksURL', 'Address of its key set'],
      ['built_in', 'Built in'],
    ],
    filters: filtersOf(listEkmIssuers, [{ name: 'name', label: 'Name', isFirst: true }]),
    add: {
      title: 'Add an issuer',
      path: '/v1/keymgr/ekm/issuers',
      fields: described(createEkmIssuer, [
        { name: 'name', label: 'Name' },
        { name: 'iss', label: 'Issuer', hint: 'As in its tokens, character for character.' },
        { name: 'jwksURL', label: 'Address of its key set' },
        {
          name: 'openidConfigurationURL',
          label: 'Or: address of its configuration',
          hint: 'Names issuer and key set.',
        },
      ]),
    },
    actions: [
      { ...change(ISSUER, 'issuer', [{ name: 'name', label: 'Name', isRequired: true }]), applies: isOwn },
      { ...deletion(ISSUER, 'issuer'), applies: isOwn },
    ],
    empty: 'No issuer is known.',
  },
  {
    ...{ name: 'ekm-attestation-trust', title: 'EKM attestation trust', noun: 'authorities of evidence' },
    only: 'Authorities of evidence',
    about:
      'Authorities whose evidence of machines this deployment accepts. Only the root domain sees and changes them.',
    path: TRUST,
    item: TRUST,
    columns: [['updatedAt', 'Changed']],
    filters: [],
    actions: [
      change(TRUST, 'authorities', [
        { name: 'machine_roots', label: 'Roots of attestation keys', kind: 'area', hint: 'Certificates in PEM.' },
        { name: 'machine_intermediates', label: 'Authorities below these', kind: 'area' },
        { name: 'processor_roots', label: 'Roots of processors', kind: 'area', hint: 'ARK of AMD.' },
        {
          name: 'processor_intermediates',
          label: 'Authorities below those',
          kind: 'area',
          hint: 'ASK and ASVK of AMD.',
        },
      ]),
    ],
    empty: 'No authority is known.',
  },
]
