import type { RoomRow } from '../base/room.ts'

export const keyringRoom: RoomRow = {
  name: 'keyring',
  sealed: { 'request-key': async () => (await import('./sealed-request-keys.ts')).sealedRequestKeys },
}
