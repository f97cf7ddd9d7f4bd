import type { RoomRow } from '../base/room.ts'

export const metricsRoom: RoomRow = {
  name: 'metrics',
  beforeDrain: async () => (await import('./lags.ts')).logLags,
}
