import { announceCloud } from '../../cloud/cloud-row.ts'

export const cloudB = announceCloud({
  name: 'cloud-b',
  containerList: 'key_vaults',
  syncItems: { key: '', secret: 'secrets', certificate: 'certificates' },
  rotation: { byAge: true, byExpiry: true },
})
