import { announceCloud } from '../../cloud/cloud-row.ts'

export const cloudD = announceCloud({
  name: 'cloud-d',
  containerList: 'cloud_d_vaults',
  rotation: { byAge: false, byExpiry: true },
})
