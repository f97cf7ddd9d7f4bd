/** Kinds of managed objects, with KMIP's names. */
export const OBJECT_TYPES = [
  'Symmetric Key',
  'Private Key',
  'Public Key',
  'Certificate',
  'Secret Data',
  'Opaque Object',
] as const
export type ObjectType = (typeof OBJECT_TYPES)[number]

/** The default format of an object's bytes. */
export type NativeFormat = 'raw' | 'opaque' | 'pkcs8' | 'x509'

interface ObjectTypeRow {
  readonly native: NativeFormat
  /** Whether this service generates such objects. The others are imported. */
  readonly isGenerated: boolean
  /** Whether it is a key that operations use. The others are only stored and returned. */
  readonly isKey: boolean
  /** Whether it is public. */
  readonly isPublic: boolean
  /** Whether it has a public half, which is a separate, linked object. */
  readonly hasPublicHalf: boolean
}

const ROWS: Readonly<Record<ObjectType, ObjectTypeRow>> = {
  'Symmetric Key': { native: 'raw', isGenerated: true, isKey: true, isPublic: false, hasPublicHalf: false },
  'Private Key': { native: 'pkcs8', isGenerated: true, isKey: true, isPublic: false, hasPublicHalf: true },
  'Public Key': { native: 'pkcs8', isGenerated: false, isKey: true, isPublic: true, hasPublicHalf: false },
  Certificate: { native: 'x509', isGenerated: false, isKey: false, isPublic: true, hasPublicHalf: false },
  'Secret Data': { native: 'opaque', isGenerated: false, isKey: false, isPublic: false, hasPublicHalf: false },
  'Opaque Object': { native: 'opaque', isGenerated: false, isKey: false, isPublic: false, hasPublicHalf: false },
}

export const objectTypeRow = (type: ObjectType): ObjectTypeRow => ROWS[type]

/** Whether the object consists of unstructured bytes. */
export const isUnstructured = (type: ObjectType): boolean =>
  ROWS[type].native === 'raw' || ROWS[type].native === 'opaque'
