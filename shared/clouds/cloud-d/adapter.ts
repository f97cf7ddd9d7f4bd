import { lazyAdapter } from '../../cloud/adapter/lazy.ts'
import { NAME } from './name.ts'

export const cloudD = lazyAdapter(NAME, async () => (await import('./adapter/verbs.ts')).cloudD)
