import { keyKind, keys } from '../keys/kind.ts'
import { restoring } from './restore.ts'

/** The keys, as their backups need to know them. */
export const keyBackups = { items: keys, kind: keyKind }
export const restoringKeys = restoring(keyBackups)
