/** The most attempts of a process at once, those of one key, and those of webhooks whose last attempt failed. */
const MAX_PLACES = 256;
const MAX_OF_KEY = 8;
const MAX_FAILING = MAX_PLACES / 2;

interface Applicant {
  keyId: string;
  /** Its last attempt failed. */
  isFailing: boolean;
}

/** The places of a process for webhooks that it works on: endpoints that hang hold few of them. */
export class Places {
  private readonly ofKey = new Map<string, number>();
  private taken = 0;
  private failing = 0;

  get takenCount(): number {
    return this.taken;
  }

  get hasRoom(): boolean {
    return this.taken < MAX_PLACES;
  }

  get hasRoomForFailing(): boolean {
    return this.hasRoom && this.failing < MAX_FAILING;
  }

  /** The keys that get no further place. */
  get fullKeys(): string[] {
    return [...this.ofKey].filter(([, count]) => count >= MAX_OF_KEY).map(([keyId]) => keyId);
  }

  /** Takes a place, and returns how to give it back; undefined where there is none. */
  take({ keyId, isFailing }: Applicant): (() => void) | undefined {
    const ofKey = this.ofKey.get(keyId) ?? 0;
    if (ofKey >= MAX_OF_KEY || !(isFailing ? this.hasRoomForFailing : this.hasRoom)) return undefined;
    this.ofKey.set(keyId, ofKey + 1);
    this.taken += 1;
    this.failing += Number(isFailing);
    return () => {
      const left = (this.ofKey.get(keyId) ?? 0) - 1;
      if (left > 0) this.ofKey.set(keyId, left);
      else this.ofKey.delete(keyId);
      this.taken -= 1;
      this.failing -= Number(isFailing);
    };
  }
}
