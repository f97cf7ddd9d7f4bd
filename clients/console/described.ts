/** Made of the API description by `npm run describe`. */

export const WORK = {
  "cloud-a": {"containers":"kms","rotation":{"byAge":true,"byExpiry":true,"param":"cloud_a_param"},"operations":{"keymgr_xks_credential_rotation":"keymgr_xks_credential_rotation_params"}},
  "cloud-b": {"containers":"key_vaults","items":["key","secret","certificate","all"],"rotation":{"byAge":true,"byExpiry":true},"operations":{"key-backup":"key_backup_params"}},
  "cloud-c": {"containers":"key_rings","rotation":{"byAge":false,"byExpiry":false}},
  "docsuite-dke": {"rotation":{"byAge":false,"byExpiry":true}},
} as const
