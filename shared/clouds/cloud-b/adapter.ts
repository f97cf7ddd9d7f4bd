import { lazyAdapter } from '../../cloud/adapter/lazy.ts'
import type { CloudB } from './adapter/types.ts'
import { NAME } from './name.ts'

const load = async (): Promise<CloudB> => (await import('./adapter/verbs.ts')).cloudB

export const cloudB = lazyAdapter<Omit<CloudB, 'keys' | 'secrets' | 'certificates'>>(NAME, load)
export const keysAdapter = lazyAdapter(NAME, async () => (await load()).keys)
export const secretsAdapter = lazyAdapter(NAME, async () => (await load()).secrets)
export const certificatesAdapter = lazyAdapter(NAME, async () => (await load()).certificates)
