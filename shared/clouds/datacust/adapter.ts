import { lazyAdapter } from '../../cloud/adapter/lazy.ts'
import type { Datacust } from './adapter/types.ts'
import { NAME } from './name.ts'

export const datacust = lazyAdapter<Datacust>(NAME, async () => (await import('./adapter/verbs.ts')).datacust)
