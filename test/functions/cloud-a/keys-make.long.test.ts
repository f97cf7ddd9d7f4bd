/** These parts share one deployment: each registers its tests when it is imported. */
import './keys-make/upload.ts'
import './keys-make/refused-uploads.ts'
import './keys-make/creation.ts'
