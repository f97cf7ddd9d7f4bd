import type { StoredLocalKey } from '../store.ts'

/** Purpose under which a version's material is sealed: copied to another id or version, it does not open. */
export const sealPurpose = ({ id, version }: Pick<StoredLocalKey, 'id' | 'version'>): string[] => [
  'local-key',
  id,
  String(version),
  'material',
]
