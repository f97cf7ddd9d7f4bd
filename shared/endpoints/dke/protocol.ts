import type { AnnouncedProtocol } from '../../serving/protocol.ts'

export const dke: AnnouncedProtocol = { name: 'dke', rotatedAs: 'docsuite-dke' }
