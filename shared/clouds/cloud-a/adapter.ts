import { lazyAdapter } from '../../cloud/adapter/lazy.ts'
import { NAME } from './name.ts'

export const cloudA = lazyAdapter(NAME, async () => (await import('./adapter/verbs.ts')).cloudA)
