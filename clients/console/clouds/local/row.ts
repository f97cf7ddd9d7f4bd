import { createLocalKey, listLocalKeys } from './described.ts'
import { filtersOf } from '../../list/filters.tsx'
import { choicesOf, described } from '../../forms/fields.ts'
import { callTo } from '../../calls.ts'
import { keymgr, read, recordsAt } from '../../service.ts'
import type { Tone } from '../../words/states.tsx'
import { DATES } from '../choices.ts'
import type { PlaceRow } from '../row.ts'
import { LOCAL_ACTIONS, nameOf, type LocalKey } from './actions.ts'

type State = LocalKey['state']

const TONES: Readonly<Record<State, Tone>> = {
  'Pre-Active': 'waiting',
  Active: 'good',
  Deactivated: 'quiet',
  Compromised: 'bad',
  Destroyed: 'bad',
  'Destroyed Compromised': 'bad',
}
const CURVES = choicesOf('secp224r1', 'prime256v1', 'secp384r1', 'secp521r1', 'secp256k1')
const hasSize = (algorithm: string | undefined): boolean => algorithm !== 'ec' && algorithm !== 'tdes'

export const local: PlaceRow<LocalKey> = {
  name: 'local',
  title: 'Local',
  keys: {
    place: 'Object type',
    uri: 'vault:keys',
    idOf: (id) => id.replace(/-v\d+$/, ''), // without the version
    ...recordsAt('/v1/vault/keys2'),
    summary: (key) => ({
      ...{ id: key.id, uri: key.uri, state: key.state, tone: TONES[key.state], createdAt: key.createdAt },
      name: nameOf(key),
      place: key.objectType,
      spec: `${key.algorithm} ${key.curveid ?? key.size}`,
      expiresAt: key.deactivationDate,
      isRotated: key.version > 0,
    }),
    attributes: (key) => [
      ['Object type', key.objectType],
      ['Usage', key.usage],
      ['Description', key.description],
      ['Aliases', key.aliases.map(({ alias }) => alias).join(', ')],
      [
        'Labels',
        Object.entries(key.labels)
          .map(([name, value]) => `${name}=${value}`)
          .join(', '),
      ],
      ['Exportable', key.unexportable ? 'No' : 'Yes'],
      ['Deletable', key.undeletable ? 'No' : 'Yes'],
      ['Check value', key.keyCheckValue],
      ['SHA-256 fingerprint', key.sha256Fingerprint],
      ['Rotated every', key.rotationFrequencyDays === undefined ? undefined : `${key.rotationFrequencyDays} days`],
      ['Revocation reason', key.revocationReason],
      ['Revocation message', key.revocationMessage],
      ['UUID', key.uuid],
    ],
    versions: async ({ id }, signal) => {
      const { resources } = await read('/v1/vault/keys2/{id}/versions', {
        path: { id },
        query: { limit: 100, sort: '-createdAt' },
        signal,
      })
      return resources.map(({ id: keyId, uri, version, state, createdAt }) => ({
        ...{ id: keyId, keyId, uri, state, createdAt, title: `Version ${version}`, tone: TONES[state] },
      }))
    },
    common: {
      name: 'name',
      label: 'labels',
      expires: 'expires_before',
      knowsRotation: true,
      usable: { state: ['Active', 'Pre-Active'] },
    },
    filters: filtersOf(listLocalKeys, [
      { name: 'name', label: 'Name', isFirst: true },
      { name: 'state', label: 'State', isFirst: true },
      { name: 'algorithm', label: 'Algorithm', isFirst: true },
      {
        ...{ name: 'objectType', label: 'Object type' },
      },
      { name: 'alias', label: 'Alias' },
      { name: 'expires_before', label: 'Expires before' },
      { name: 'size', label: 'Size (bits)' },
      { name: 'curveid', label: 'Curve' },
      { name: 'labels', label: 'Labels' },
      { name: 'usageMask', label: 'Usage mask' },
      { name: 'metaContains', label: 'Meta contains' },
      { name: 'version', label: 'Version' },
      { name: 'unexportable', label: 'Unexportable' },
      { name: 'undeletable', label: 'Undeletable' },
      { name: 'keyCheckValue', label: 'Check value' },
      {
        ...{ name: 'linkType', label: 'Link' },
      },
      { name: 'sha1Fingerprint', label: 'SHA-1 fingerprint' },
      { name: 'sha256Fingerprint', label: 'SHA-256 fingerprint' },
      { name: 'compareIDWithUUID', label: 'Id is a UUID' },
      { name: 'uri', label: 'URI' },
      ...DATES,
    ]),
    states: Object.entries(TONES).map(([state, tone]) => ({ title: state, tone, filters: { state } })),
    actions: LOCAL_ACTIONS,
    bulk: [
      {
        ...{ name: 'revoke', title: 'Disable' },
        about: 'Ends the protection of data with these keys. They still decrypt, and can be enabled again.',
        calls: (ids) =>
          ids.map((id) =>
            callTo('post', '/v1/vault/keys2/{id}/revoke', { path: { id }, body: { reason: 'CessationOfOperation' } }),
          ),
      },
      {
        ...{ name: 'reactivate', title: 'Enable' },
        about: 'Makes deactivated keys active again.',
        calls: (ids) =>
          ids.map((id) =>
            callTo('post', '/v1/vault/keys2/{id}/reactivate', {
              path: { id },
              body: { reason: 'DeactivatedToActive' },
            }),
          ),
      },
      {
        ...{ name: 'delete', title: 'Delete', isEnding: true },
        about: 'Removes these keys and their records. Keys in use are refused.',
        calls: (ids) => ids.map((id) => callTo('delete', '/v1/vault/keys2/{id}', { path: { id } })),
      },
    ],
    ways: [
      {
        ...{ name: 'create', title: 'Create a local key' },
        about: 'New material, which never leaves the service unless it is exported or uploaded.',
        call: (body) => callTo('post', '/v1/vault/keys2', { body }),
        fields: described(createLocalKey, [
          { name: 'name', label: 'Name', isRequired: true },
          {
            ...{ name: 'algorithm', label: 'Algorithm', isRequired: true, initial: 'aes' },
            choices: choicesOf(
              'aes',
              'aria',
              'rsa',
              'ec',
              'ml-dsa',
              'ml-kem',
              'hmac-sha256',
              'hmac-sha384',
              'hmac-sha512',
            ),
          },
          {
            ...{ name: 'size', label: 'Size', min: 1 },
            hint: 'The default of the algorithm where it is left empty; of ml-dsa and ml-kem the parameter set.',
            when: ({ algorithm }) => hasSize(algorithm),
          },
          { name: 'curveid', label: 'Curve', choices: CURVES, when: ({ algorithm }) => algorithm === 'ec' },
          { name: 'description', label: 'Description' },
          { name: 'rotationFrequencyDays', label: 'Rotate after (days)', min: 1 },
          { name: 'deactivationDate', label: 'Deactivate on', hint: 'At midnight, UTC.' },
          { name: 'unexportable', label: 'Never export the material' },
          { name: 'undeletable', label: 'Never delete the key' },
        ]),
      },
    ],
    expiring: async (deactivationBefore, signal) => {
      const { total, resources } = await keymgr.post('/v1/vault/query-keys', {
        body: { deactivationBefore, states: ['Active', 'Pre-Active'], sort: 'deactivationDate', limit: 1000 },
        signal,
      })
      const items = resources.flatMap(({ id, name, deactivationDate: time }) =>
        time === undefined ? [] : [{ id, title: name, time }],
      )
      return { items, total }
    },
  },
}
