import { lazyAdapter } from '../../../../shared/cloud/adapter/lazy.ts'
import { NAME } from './name.ts'

export const throwAwayAdapter = lazyAdapter(NAME, async () => (await import('./adapter/verbs.ts')).verbs)
