import { defined } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import { USAGE } from '../../../crypto/usage.ts'
import { certificateFacts } from '../../../crypto/material/certificate-material.ts'
import { objectTypeRow } from '../../../crypto/object-types.ts'
import { fingerprints, keyCheckValue, publicOf, type KeyMaterial } from '../../../crypto/key-material.ts'
import { Refusal } from '../../../base/errors.ts'
import { commonFields, localKeyId, resourceUri, uuid } from '../../../base/ids.ts'
import type { LocalKey } from '../model.ts'
import { localKeys, type StoredLocalKey } from '../store.ts'
import { sealMaterial } from '../material/material.ts'

/** Ours: the public half of a pair is named after the private one. */
const PUBLIC_SUFFIX = '_public'
export const publicName = (name: string): string => `${name}${PUBLIC_SUFFIX}`

/** Fields of a new version that do not depend on its material. */
export type VersionFields = Pick<
  StoredLocalKey,
  'name' | 'version' | 'usageMask' | 'state' | 'unexportable' | 'undeletable' | 'aliases' | 'labels'
> &
  Partial<StoredLocalKey>

/** The origin of a new version's material. @param body that creates the version, possibly with material to import */
export const originOf = ({ material }: { readonly material?: string | undefined }): Pick<StoredLocalKey, 'origin'> => ({
  origin: material === undefined ? 'generated' : 'imported',
})

/** The properties of a key without its material. */
export type Shape = Pick<KeyMaterial, 'objectType' | 'algorithm' | 'sizeBits' | 'curve' | 'xts'>

/** The record of a new version, its material sealed. */
export async function newRecord(
  { now, caller }: Context,
  shape: Shape,
  material: KeyMaterial | undefined,
  particulars: VersionFields,
): Promise<StoredLocalKey> {
  const domain = caller.domain.id
  const id = localKeyId(now)
  const { name, version } = particulars
  const prints = material && fingerprints(material)
  const kcv = material && keyCheckValue(material)
  return {
    ...commonFields(domain, id, resourceUri(domain, 'vault', 'keys', `${name}-v${version}`), now),
    algorithm: shape.algorithm,
    size: shape.sizeBits,
    ...defined({ curveid: shape.curve }),
    ...(shape.xts && { xts: true }),
    format: objectTypeRow(shape.objectType).native,
    objectType: shape.objectType,
    ...(prints && { sha1Fingerprint: prints.sha1, sha256Fingerprint: prints.sha256 }),
    ...defined({ keyCheckValue: kcv }),
    ...(material?.objectType === 'Certificate' && { certificate: certificateFacts(material) }),
    neverExported: true,
    neverExportable: particulars.unexportable,
    emptyMaterial: material === undefined,
    uuid: uuid(now),
    muid: uuid(now),
    links: [],
    latest: true,
    ...(material && { sealed: await sealMaterial(domain, { id, version }, material) }),
    ...particulars,
  }
}

/** Usage bits of a public half: verify for sign, encrypt for decrypt, wrap for unwrap. */
const publicUsage = (mask: number): number =>
  (mask & (USAGE.verify | USAGE.encrypt | USAGE.wrap | USAGE.export)) |
  (mask & USAGE.sign ? USAGE.verify : 0) |
  (mask & USAGE.decrypt ? USAGE.encrypt : 0) |
  (mask & USAGE.unwrap ? USAGE.wrap : 0) |
  USAGE.export

/**
 * The record of a private key's public half, each linked to the other.
 * @param former the half that it succeeds, which passes on its aliases, labels and meta
 */
export async function publicRecord(
  context: Context,
  owner: StoredLocalKey,
  material: KeyMaterial,
  former?: StoredLocalKey,
): Promise<{ own: StoredLocalKey; other: StoredLocalKey }> {
  const half = publicOf(material)
  const { aliases = [], labels = owner.labels, undeletable = owner.undeletable } = former ?? {}
  const other = await newRecord(context, half, half, {
    ...carriedOver(owner),
    name: former?.name ?? publicName(owner.name),
    version: owner.version,
    state: owner.state,
    usageMask: publicUsage(owner.usageMask),
    unexportable: false,
    undeletable,
    aliases,
    labels,
    ...(former?.meta && { meta: former.meta }),
    ...(owner.origin && { origin: owner.origin }),
    links: [{ type: 'privateKey', target: owner.id }],
  })
  half.bytes.destroy()
  return { own: { ...owner, links: [{ type: 'publicKey', target: other.id }] }, other }
}

const CARRIED = [
  'meta',
  'description',
  'rotationFrequencyDays',
  'keyId',
  'activationDate',
  'processStartDate',
  'protectStopDate',
  'deactivationDate',
  'destroyDate',
] as const satisfies readonly (keyof LocalKey)[]

/** The fields that a new record inherits from another one of the same key. */
export function carriedOver(
  key: StoredLocalKey,
): Pick<StoredLocalKey, 'aliases' | 'labels' | 'unexportable' | 'undeletable'> & Partial<StoredLocalKey> {
  const { aliases, labels, unexportable, undeletable } = key
  const carried: Partial<StoredLocalKey> = Object.fromEntries(
    CARRIED.flatMap((field) => (key[field] === undefined ? [] : [[field, key[field]]])),
  )
  return { ...carried, aliases, labels, unexportable, undeletable }
}

/** Pointers to the names of a key in a body. */
export interface NamedAt {
  readonly name?: string
  readonly aliases?: string
}

/** Stages a new version. A taken name or alias is refused with a pointer to it. */
export function stageRecord(
  { changes, caller }: Context,
  record: StoredLocalKey,
  { name: nameAt = '#/name', aliases: aliasesAt = '#/aliases' }: NamedAt = {},
): void {
  changes.create(localKeys, caller.domain.id, record, (_kind, value) => {
    // of two equal aliases in one body, the second is refused
    const at = record.aliases.findLastIndex(({ alias }) => alias === value)
    const pointer = at === -1 ? nameAt : `${aliasesAt}/${at}/alias`
    return new Refusal('NAME_TAKEN', `There is a key with the name or alias "${value}" already.`, {
      errors: [{ pointer, detail: 'is taken' }],
    })
  })
}

const AUDITED = [
  'name',
  'version',
  'algorithm',
  'size',
  'xts',
  'state',
  'usageMask',
  'unexportable',
  'undeletable',
] as const satisfies readonly (keyof StoredLocalKey)[]

/** The audited fields of a key. */
export const auditView = (key: StoredLocalKey): Record<string, unknown> =>
  Object.fromEntries(AUDITED.map((field) => [field, key[field]]))
