import type { CloudA } from './adapter/types.ts'

/** The adapter, loaded when first called: its SDK is large, and most requests call no cloud. */
export const adapter = async (): Promise<CloudA> => (await import('./adapter/verbs.ts')).cloudA
