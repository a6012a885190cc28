//! What a conversation has used, summed up.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::{Add, AddAssign, Sub};

use jiff::Timestamp;
use jiff::civil::Date;

use super::entry::{Content, Context, Entry, RateLimit, Tokens, Usage};

/// So many of the newest requests and prompts are known again when the file repeats them. Those of one answer stand close
/// together; Gemini repeats a whole conversation when it goes on.
const MOST_RECENT: usize = 1024;

/// No person uses more models in a day. The names come from a file that may hold anything.
const MOST_MODELS: usize = 20;

/// More days than a conversation lasts, for the same reason.
const MOST_DAYS: usize = 4000;

/// What was used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    /// Prompts of the person.
    pub turns: u64,
    /// Requests to a model.
    pub requests: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// What it cost in US dollars, as far as the agent says so.
    pub cost_usd: Option<f64>,
    /// The requests of which the agent does not say what they cost.
    pub unpriced: u64,
    /// The models.
    pub models: BTreeSet<String>,
}

impl AddAssign<&Sum> for Sum {
    fn add_assign(&mut self, other: &Sum) {
        self.turns += other.turns;
        self.requests += other.requests;
        self.tokens = self.tokens + other.tokens;
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or_default() + other.unwrap_or_default()),
        };
        self.unpriced += other.unpriced;
        self.models.extend(other.models.iter().cloned());
    }
}

impl Add for Tokens {
    type Output = Tokens;

    fn add(self, other: Tokens) -> Tokens {
        self.each(other, u64::saturating_add)
    }
}

impl Sub for Tokens {
    type Output = Tokens;

    fn sub(self, other: Tokens) -> Tokens {
        self.each(other, u64::saturating_sub)
    }
}

impl Tokens {
    fn each(self, other: Tokens, with: fn(u64, u64) -> u64) -> Tokens {
        Tokens {
            input: with(self.input, other.input),
            output: with(self.output, other.output),
            thinking: with(self.thinking, other.thinking),
            cache_read: with(self.cache_read, other.cache_read),
            cache_write: with(self.cache_write, other.cache_write),
        }
    }
}

/// Sums up what one conversation has used, each day.
#[derive(Clone, Debug, Default)]
pub struct Account {
    days: BTreeMap<Option<Date>, Sum>,
    day: Option<Date>,
    recent: HashMap<String, (Option<Date>, Tokens)>,
    /// Their ids, the oldest first.
    order: VecDeque<String>,
    /// What the agent last said that all of it cost.
    cost_so_far: f64,
    context: Option<Context>,
    limits: Vec<RateLimit>,
    last_at: Option<Timestamp>,
}

impl Account {
    /// Takes in the next entry. `day_of` is the day of a moment where the person is.
    pub fn take(&mut self, entry: &Entry, day_of: impl FnOnce(Timestamp) -> Date) {
        if let Some(at) = entry.at {
            let day = Some(day_of(at));
            // Entries without a time are of the same day as those before.
            self.day =
                if self.days.len() < MOST_DAYS || self.days.contains_key(&day) { day } else { self.day };
            self.last_at = self.last_at.max(Some(at));
        }
        match &entry.content {
            Content::Prompt(_) if self.is_new(entry, Tokens::default()) => self.today().turns += 1,
            Content::Usage(usage) => self.used(entry, usage),
            Content::CostSoFar(cost) => {
                let more = cost - self.cost_so_far;
                self.cost_so_far = *cost;
                if more.is_finite() && more > 0.0 {
                    *self.today().cost_usd.get_or_insert_default() += more;
                }
                self.days.values_mut().for_each(|sum| sum.unpriced = 0);
            }
            _ => {}
        }
    }

    fn used(&mut self, entry: &Entry, usage: &Usage) {
        if let Some(context) = usage.context {
            let window = context.window.or(self.context.and_then(|before| before.window));
            self.context = Some(Context { window, ..context });
        }
        if !usage.limits.is_empty() {
            self.limits.clone_from(&usage.limits);
        }
        if usage.tokens.is_none() || !self.is_new(entry, usage.tokens) {
            return;
        }
        let sum = self.today();
        sum.requests += 1;
        sum.tokens = sum.tokens + usage.tokens;
        match usage.cost_usd {
            Some(cost) => *sum.cost_usd.get_or_insert_default() += cost,
            None => sum.unpriced += 1,
        }
        if let Some(model) = usage.model.as_ref().filter(|_| sum.models.len() < MOST_MODELS) {
            sum.models.insert(model.clone());
        }
    }

    /// Whether an entry is another one than those before. If not, its numbers replace the earlier ones.
    fn is_new(&mut self, entry: &Entry, tokens: Tokens) -> bool {
        let Some(id) = &entry.id else { return true };
        if let Some((day, before)) = self.recent.get_mut(id) {
            if let Some(sum) = self.days.get_mut(day) {
                sum.tokens = sum.tokens - *before + tokens;
            }
            *before = tokens;
            return false;
        }
        if self.order.len() == MOST_RECENT
            && let Some(oldest) = self.order.pop_front()
        {
            self.recent.remove(&oldest);
        }
        self.order.push_back(id.clone());
        self.recent.insert(id.clone(), (self.day, tokens));
        true
    }

    fn today(&mut self) -> &mut Sum {
        self.days.entry(self.day).or_default()
    }

    /// What was used on each day; the first one may be of a time that is not known.
    pub fn days(&self) -> impl Iterator<Item = (Option<Date>, &Sum)> {
        self.days.iter().map(|(day, sum)| (*day, sum))
    }

    /// What all of it has used.
    pub fn sum(&self) -> Sum {
        let mut all = Sum::default();
        self.days.values().for_each(|sum| all += sum);
        all
    }

    /// How full the context is.
    pub fn context(&self) -> Option<Context> {
        self.context
    }

    /// The limits of the account, as they were last told.
    pub fn limits(&self) -> &[RateLimit] {
        &self.limits
    }

    /// When the last thing happened.
    pub fn last_at(&self) -> Option<Timestamp> {
        self.last_at
    }
}
